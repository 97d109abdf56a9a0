import { realpathSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { connectToServer, programTransport } from '../../src/mcp/connect.ts'

async function listening(answer: (response: ServerResponse) => void) {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    response.on('error', () => {})
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return { seen, url }
}

const json = { 'content-type': 'application/json' }

function endless(response: ServerResponse): void {
  response.writeHead(200, json)
  let left = 30
  const more = () => {
    left--
    if (left === 0 || response.destroyed) response.destroy()
    else response.write('x'.repeat(1_000_000), more)
  }
  more()
}

test('an address that misbehaves ends as an error, and the key goes nowhere else', async () => {
  const other = await listening((response) => response.writeHead(200, json).end('{}'))
  const elsewhere = other.url.replace('127.0.0.1', 'localhost')
  const vices: ((response: ServerResponse) => void)[] = [
    endless,
    () => {},
    (response) => response.writeHead(200, json).end('[]'),
    (response) => response.writeHead(500).end(),
    (response) => response.destroy(),
    (response) => response.writeHead(307, { location: elsewhere }).end(),
  ]
  for (const vice of vices) {
    const { seen, url } = await listening(vice)
    const server = { name: 'bad', command: null, url, key: 'sesame', env: {}, timeoutMs: 1_000 }
    await expect(connectToServer(server)).rejects.toThrow()
    expect(seen[0]?.authorization).toBe('Bearer sesame')
  }
  expect(other.seen).toEqual([])
})

test('a program starts in the home of its owner', async () => {
  const library = await import('@modelcontextprotocol/client')
  const said = "JSON.stringify({jsonrpc:'2.0',method:'where',params:{cwd:process.cwd()}})"
  const command = [process.execPath, '-e', `console.log(${said})`]
  const transport = programTransport(library, command, {})
  const heard = new Promise<unknown>((resolve) => {
    transport.onmessage = resolve
  })
  await transport.start()
  expect(await heard).toMatchObject({ params: { cwd: realpathSync(homedir()) } })
  await transport.close()
})
