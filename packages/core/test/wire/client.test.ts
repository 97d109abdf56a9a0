import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/wire/client.ts'
import { encodeSignal } from '../../src/wire/envelope.ts'
import { encodeFrame } from '../../src/wire/frame.ts'
import { hello } from '../../src/wire/handshake.ts'

test.each([
  [true, 'asks for no proof'],
  [false, 'does not hold the token'],
])('a port is not let off its proof (open: %s)', async (isOpen, why) => {
  const greeting = { version: '1', capabilities: [], nonce: 'd'.repeat(32) }
  const payload = { action: 'authenticated', sessionId: 'x', proof: '', sealed: false }
  const heard: string[] = []
  const rogue = createServer((socket: Socket) => {
    socket.on('data', (bytes) => heard.push(bytes.toString()))
    const words = [
      hello(greeting, isOpen),
      { type: 'status' as const, meta: { source: 'daemon' }, payload, depth: 0 },
    ]
    for (const word of words) socket.write(encodeFrame(encodeSignal(word)))
  })
  await new Promise<void>((resolve) => rogue.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void rogue.close())
  const { port } = rogue.address() as AddressInfo
  const client = connect({ host: '127.0.0.1', port, token: 'a'.repeat(64) })
  await expect(client).rejects.toThrow(why)
  expect(heard.join('')).not.toContain('a'.repeat(64))
  if (isOpen) expect(heard).toEqual([])
})
