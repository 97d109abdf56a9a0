import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Signal } from '../../src/contract/signal.ts'
import { Channel } from '../../src/wire/channel.ts'
import { encodeFrame, FrameDecoder } from '../../src/wire/frame.ts'

const word = (text: unknown): Signal => ({
  type: 'status',
  meta: { source: 'daemon' },
  payload: { text } as Signal['payload'],
  depth: 0,
})

async function pair(): Promise<[Socket, Socket]> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const theirs = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [ours] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    theirs.destroy()
    ours.destroy()
    server.close()
  })
  return [ours, theirs]
}

test('a flood is read more slowly, and whole', async () => {
  const [ours, theirs] = await pair()
  const count = 120_000
  let next = 0
  let pauses = 0
  ours.on('pause', () => pauses++)
  const all = new Promise<void>((resolve, reject) => {
    const hear = (message: string) => {
      if (message !== String(next++)) reject(new Error(`${message} instead of ${next - 1}`))
      if (next === count) resolve()
    }
    new Channel(ours, 100, hear, reject)
  })
  const frames = Array.from({ length: count }, (_, at) => encodeFrame(String(at)))
  theirs.write(Buffer.concat(frames))
  await all
  expect(pauses).toBeGreaterThan(0)
})

test('what cannot travel is replaced by a word about it', async () => {
  const [ours, theirs] = await pair()
  const channel = new Channel(
    ours,
    100,
    () => {},
    () => {},
  )
  const fault = (why: string) => word(`No: ${why}`)
  for (const text of [() => {}, 'x'.repeat(2_000_000), 'fine']) channel.send(word(text), fault)
  const decoder = new FrameDecoder()
  const seen: string[] = []
  for await (const chunk of theirs) {
    seen.push(...decoder.push(chunk as Buffer))
    if (seen.length === 3) break
  }
  expect(seen).toEqual([
    expect.stringMatching(/"No: Expected data, got a function"/),
    expect.stringMatching(/"No: A message of 2\d+ code points is too long"/),
    expect.stringMatching(/"fine"/),
  ])
})

test('who takes nothing is cut', async () => {
  const [ours, theirs] = await pair()
  theirs.pause()
  const channel = new Channel(
    ours,
    100,
    () => {},
    () => {},
  )
  const text = 'x'.repeat(500_000)
  let sent = 0
  while (channel.send(word(text), word)) sent++
  expect(sent).toBeGreaterThan(5)
  expect(ours.destroyed).toBe(true)
})
