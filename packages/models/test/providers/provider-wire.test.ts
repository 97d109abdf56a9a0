import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { bytesMax, openWire, type WireOptions } from '../../src/providers/provider-wire.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function get(listener: RequestListener, options: Partial<WireOptions> = {}) {
  const wire = openWire({ contentType: /event-stream/, ...options })
  let text: string | null = null
  try {
    text = await (await wire.fetch(await serve(listener))).text()
  } catch {}
  return { text, fault: wire.fault() }
}

test('an answer that is none is a fault', async () => {
  const far = await serve(() => expect.unreachable('it must not be followed'))
  const cases: [RequestListener, object][] = [
    [(_q, r) => r.writeHead(500).end('{"error":"oh"}'), { kind: 'server', status: 500 }],
    [(_q, r) => r.writeHead(302, { location: far }).end(), { kind: 'refused', status: 302 }],
    [(_q, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('x'), { kind: 'protocol' }],
    [(_q, r) => r.writeHead(204).end(), { kind: 'protocol' }],
    [(_q, r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end('x'), { kind: 'protocol' }],
    [(_q, r) => r.writeHead(400).end('x'.repeat(10_000_000)), { kind: 'refused' }],
  ]
  for (const [listener, fault] of cases) {
    expect(await get(listener)).toMatchObject({ text: null, fault })
  }
})

test('a body ends, and what ended it is noted', async () => {
  const large = await get((_q, response) => void response.end(':\n'.repeat(25_000_000)))
  expect(large.fault?.kind).toBe('too-long')
  expect(large.text?.length).toBeLessThanOrEqual(bytesMax)
  const endless = await get((_q, response) => void response.end('x'.repeat(5_000_000)))
  expect(endless.fault?.kind).toBe('too-long')
  const cut = await get((_q, response) => {
    response.write('one\n', () => response.destroy())
  })
  expect(cut).toMatchObject({ text: 'one\n', fault: { kind: 'network' } })
})

test('lines are checked one by one, wherever they are cut', async () => {
  const answer: RequestListener = (_q, response) => {
    const bytes = Buffer.from('größe\n\nzwei\nbad\nlast')
    for (const byte of bytes) response.write(Uint8Array.of(byte))
    response.end()
  }
  const line = (text: string) => text.toUpperCase()
  expect(await get(answer, { line })).toEqual({ text: 'GRÖSSE\nZWEI\nBAD\nLAST\n', fault: null })
  const fault = { kind: 'server', message: 'bad' } as const
  const picky = (text: string) => (text === 'bad' ? fault : text)
  expect(await get(answer, { line: picky })).toMatchObject({ fault })
})
