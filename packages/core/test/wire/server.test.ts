import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { holdInstance } from '../../src/base/daemon-lock.ts'
import type { Signal } from '../../src/contract/signal.ts'
import { connect, findAnsweringDaemon } from '../../src/wire/client.ts'
import { encodeSignal } from '../../src/wire/envelope.ts'
import { encodeFrame, FrameDecoder } from '../../src/wire/frame.ts'
import { proofOf } from '../../src/wire/handshake.ts'
import { type Server, type ServerOptions, startServer } from '../../src/wire/server.ts'

const token = 'a'.repeat(64)

async function listening(
  heard: Signal[] = [],
  options: Partial<ServerOptions> = {},
): Promise<Server> {
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    token,
    version: '9.9.9',
    onHealth: () => ({ objects: 3 }),
    ...options,
    onSignal(signal) {
      heard.push(signal)
      server.send(signal.meta.sessionId ?? '', { ...signal, type: 'response' })
    },
  })
  onTestFinished(() => server.close())
  return server
}

function everything(port: number, ...messages: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectSocket(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8').on('data', (text) => {
      received += text
    })
    socket.on('error', () => {}).on('close', () => resolve(received))
    for (const message of messages) socket.write(message)
  })
}

const question: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 'forged' },
  payload: { sensor: 'user-input', text: 'hi 🌱' },
  depth: 0,
}

test('a client with the token is heard and answered, under its own session', async () => {
  const heard: Signal[] = []
  const { port } = await listening(heard)
  const client = await connect({ host: '127.0.0.1', port, token })
  expect(client.hello).toMatchObject({
    version: '9.9.9',
    capabilities: expect.arrayContaining(['approval']),
  })
  client.send(question)
  for await (const signal of client) {
    expect(signal).toMatchObject({ type: 'response', payload: { text: 'hi 🌱' } })
    break
  }
  client.close()
  expect(heard[0]?.meta.sessionId).toMatch(/^[0-9a-f-]{36}$/)
})

test('a client that takes pieces says so with its proof, and its signals say it after that', async () => {
  const heard: Signal[] = []
  const { port } = await listening(heard)
  for (const capabilities of [['stream-chunk'], []]) {
    const client = await connect({ host: '127.0.0.1', port, token, capabilities })
    const forged = { ...question, meta: { source: 'cli', takesChunks: true } }
    client.send(forged)
    for await (const _ of client) break
    client.close()
  }
  expect(heard.map(({ meta }) => meta.takesChunks)).toEqual([true, false])
})

test('a wrong token is turned away', async () => {
  const { port } = await listening()
  const wrong = connect({ host: '127.0.0.1', port, token: 'b'.repeat(64) })
  await expect(wrong).rejects.toThrow('proof of the token')
})

test.each([
  ['a browser', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', null],
  [
    'a signal without proof',
    encodeFrame('(:TYPE :EVENT :PAYLOAD (:SENSOR :USER-INPUT :TEXT "rm"))'),
    'Expected an answer to the hello, with the proof of the token; look at action',
  ],
  [
    'a proof of nothing',
    encodeFrame('(:TYPE :REQUEST :PAYLOAD (:ACTION :AUTHENTICATE :PROOF ""))'),
    'Expected the proof of the token',
  ],
  [
    'a client with a name of two words',
    encodeFrame('(:TYPE :REQUEST :META (:SOURCE "My Client") :PAYLOAD (:ACTION :AUTHENTICATE))'),
    'This is no signal: meta.source: Expected a lower-case name',
  ],
  [
    'a stranger with much to say',
    encodeFrame('x'.repeat(1_025)),
    'Expected at most 1024 code points, got 1025',
  ],
])('%s is turned away unheard', async (_, message, why) => {
  const heard: Signal[] = []
  const { port } = await listening(heard)
  const told = await everything(port, message)
  expect(told).toMatch(/^[0-9A-F]{6}\(:TYPE :EVENT .*:HANDSHAKE/)
  expect(/:CODE "refused" :TEXT "(.*?)"/.exec(told)?.[1] ?? null).toBe(why)
  expect(heard).toEqual([])
})

test('who was refused is not listened to, and cannot stay', async () => {
  const { port } = await listening()
  const socket = connectSocket({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {}).resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const pour = () => socket.write('G'.repeat(65_536), (error) => error || setImmediate(pour))
  pour()
  await closed
})

test('a signal that begins in the packet of the proof is heard', async () => {
  const heard: Signal[] = []
  const { port } = await listening(heard)
  const socket = connectSocket(port, '127.0.0.1').setNoDelay()
  const decoder = new FrameDecoder()
  const long = { ...question, payload: { sensor: 'user-input', text: 'x'.repeat(3_000) } }
  const signal = encodeFrame(encodeSignal(long))
  for await (const chunk of socket) {
    for (const message of decoder.push(chunk as Buffer)) {
      const nonce = /:NONCE "([0-9a-f]+)"/.exec(message)?.[1]
      if (nonce !== undefined) {
        const proof = proofOf(token, nonce)
        const payload = { action: 'authenticate', proof }
        const proving = encodeSignal({ ...question, type: 'request', payload })
        socket.write(Buffer.concat([encodeFrame(proving), signal.subarray(0, 2_000)]))
      }
      if (message.includes(':AUTHENTICATED')) socket.write(signal.subarray(2_000))
      if (message.includes(':RESPONSE')) socket.end()
    }
  }
  expect(heard).toHaveLength(1)
  expect(heard[0]?.payload).toEqual(long.payload)
})

test('a port where nobody says hello is given up', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const waiting = connect({ host: '127.0.0.1', port, token, patienceMs: 20 })
  await expect(waiting).rejects.toThrow(`Port ${port} does not answer like a daemon`)
})

test('only a daemon that answers to the token counts as one', async () => {
  const { port } = await listening()
  const stateDir = mkdtempSync(join(tmpdir(), 'state-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true }))
  onTestFinished(holdInstance(stateDir, '/m', new Date(0)))
  const announcement = JSON.stringify({ pid: process.pid, port, memex: '/m' })
  writeFileSync(join(stateDir, 'daemon.json'), announcement)
  expect(await findAnsweringDaemon(stateDir)).toBeNull()
  writeFileSync(join(stateDir, 'token'), 'b'.repeat(64))
  expect(await findAnsweringDaemon(stateDir)).toBeNull()
  writeFileSync(join(stateDir, 'token'), token)
  expect(await findAnsweringDaemon(stateDir)).toMatchObject({ port })
})

test('nonsense from a client gets an error and the next signal is heard', async () => {
  const { port } = await listening()
  const client = await connect({ host: '127.0.0.1', port, token })
  client.send({ ...question, type: 'rumour' as Signal['type'] })
  client.send(question)
  const types: string[] = []
  for await (const { type, payload } of client) {
    types.push(`${type} ${payload.action ?? ''}`)
    if (types.length === 2) break
  }
  client.close()
  expect(types).toEqual(['status error', 'response '])
})

test('the Unix socket is open to its owner, and to nobody else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'state-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const socketPath = join(folder, 'daemon.sock')
  writeFileSync(socketPath, 'what a daemon that was killed left behind')
  const heard: Signal[] = []
  const { port } = await listening(heard, { socketPath })
  expect(statSync(socketPath).mode & 0o777).toBe(0o600)
  const client = await connect({ host: '127.0.0.1', port, token: '', socketPath })
  client.send(question)
  for await (const _ of client) break
  client.close()
  expect(heard[0]?.payload.text).toBe('hi 🌱')
})

test('a client comes back to its session', async () => {
  const server = await listening()
  const at = { host: '127.0.0.1', port: server.port, token }
  const first = await connect(at)
  const { sessionId } = first
  const second = await connect({ ...at, sessionId })
  expect(second.sessionId).not.toBe(sessionId)
  first.close()
  await expect.poll(() => server.has(sessionId)).toBe(false)
  const again = await connect({ ...at, sessionId })
  expect(again.sessionId).toBe(sessionId)
  server.send(sessionId, question)
  for await (const { payload } of again) {
    expect(payload.text).toBe('hi 🌱')
    break
  }
  const invented = await connect({ ...at, sessionId: 'mine' })
  expect(invented.sessionId).not.toBe('mine')
  for (const client of [second, again, invented]) client.close()
})

test('a client goes on with a session of an earlier daemon, and with no chat’s', async () => {
  const old = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const isKnown = (id: string) => id === old || id === 'telegram.7'
  const { port } = await listening([], { isKnown })
  const at = { host: '127.0.0.1', port, token }
  const other = old.replaceAll('0', '1')
  for (const [wish, isGiven] of [
    [old, true],
    [old, false],
    ['telegram.7', false],
    [other, false],
  ] as const) {
    const client = await connect({ ...at, sessionId: wish })
    onTestFinished(() => client.close())
    expect(client.sessionId === wish).toBe(isGiven)
  }
})

test('a sealed conversation cannot be changed on the way', async () => {
  const heard: Signal[] = []
  const { port } = await listening(heard)
  const forger = createServer((client) => {
    const daemon = connectSocket(port, '127.0.0.1')
    daemon.on('error', () => {}).pipe(client)
    client
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        daemon.write(Buffer.from(chunk.toString('latin1').replace('hi', 'hu'), 'latin1'))
      })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void forger.close())
  await once(forger, 'listening')
  const honest = await connect({ host: '127.0.0.1', port, token, sealed: true })
  honest.send(question)
  for await (const { payload } of honest) {
    expect(payload.text).toBe('hi 🌱')
    break
  }
  honest.close()
  const between = (forger.address() as AddressInfo).port
  const cheated = await connect({ host: '127.0.0.1', port: between, token, sealed: true })
  cheated.send(question)
  const said: unknown[] = []
  for await (const { payload } of cheated) said.push(payload.text)
  expect(said).toEqual(['Expected the seal of the next message'])
  expect(heard).toHaveLength(1)
})

test('a ping and a question about health are answered at the door', async () => {
  const heard: Signal[] = []
  const { port } = await listening(heard)
  const client = await connect({ host: '127.0.0.1', port, token })
  const ask = (payload: Signal['payload']) => client.send({ ...question, type: 'request', payload })
  ask({ action: 'ping', number: 7 })
  ask({ action: 'health-check' })
  const said: Signal['payload'][] = []
  for await (const { payload } of client) if (said.push(payload) === 2) break
  client.close()
  expect(said).toEqual([
    { action: 'pong', number: 7 },
    { action: 'health', version: '9.9.9', sessions: 1, objects: 3 },
  ])
  expect(heard).toEqual([])
})

test('a client that proves nothing talks only where it may', async () => {
  const heard: Signal[] = []
  const { of, port } = await listening(heard, { takesLegacy: true })
  const socket = connectSocket(port, '127.0.0.1').setEncoding('utf8')
  socket.write(encodeFrame('(:type :event :payload (:sensor :user-input :text "hello"))'))
  let received = ''
  for await (const text of socket) {
    received += text
    if (!received.includes(':RESPONSE')) continue
    expect(of('cli')).toEqual([])
    break
  }
  expect(heard[0]).toMatchObject({ meta: { isUnproven: true }, payload: { text: 'hello' } })
  expect(received).not.toMatch(/UNPROVEN|TAKES/)
  await expect(listening([], { takesLegacy: true, host: '0.0.0.0' })).rejects.toThrow('loopback')
})

test('strangers do not keep the owner out', async () => {
  const { port } = await listening()
  const strangers = Array.from({ length: 64 }, () => connectSocket(port, '127.0.0.1').resume())
  await Promise.all(strangers.map((socket) => once(socket, 'data')))
  const gone = once(strangers[0]!, 'close')
  const client = await connect({ host: '127.0.0.1', port, token })
  await gone
  client.close()
  for (const socket of strangers) socket.destroy()
})

test('a crowd at the port takes no place at the socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'state-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const socketPath = join(folder, 'daemon.sock')
  const limits = { connections: 3, strangers: 2 }
  const { port } = await listening([], { socketPath, limits })
  const open = async (at: { path: string } | { port: number }) => {
    const socket = connectSocket(at).setEncoding('utf8')
    onTestFinished(() => void socket.destroy())
    const [greeting] = await once(socket, 'data')
    return { socket, greeting: String(greeting) }
  }
  const silent = [await open({ path: socketPath }), await open({ path: socketPath })]
  const known = await connect({ host: '127.0.0.1', port, token })
  for (let count = 0; count < 2; count++) await open({ port })
  expect((await open({ port })).greeting).toMatch(/:CODE "refused" :TEXT "Too many connections/)
  expect(silent.map(({ socket }) => socket.closed)).toEqual([false, false])
  const owner = await connect({ host: '127.0.0.1', port, token: '', socketPath })
  owner.send(question)
  for await (const { payload } of owner) {
    expect(payload.text).toBe('hi 🌱')
    break
  }
  for (const client of [known, owner]) client.close()
})

test('who proves nothing in time is sent away, however busy', async () => {
  const { port } = await listening([], { limits: { strangerMs: 50 } })
  const socket = connectSocket(port, '127.0.0.1').on('error', () => {})
  const drip = () => socket.write('0', (error) => error || setImmediate(drip))
  socket.once('data', () => socket.write('0003FF', drip))
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve))
})

test('a message that names a turn is answered under that name', async () => {
  const { port } = await listening()
  const client = await connect({ host: '127.0.0.1', port, token })
  const meta = (turn: string) => ({ source: 'cli', turn })
  const ask = (turn: string, action: string) =>
    client.send({ type: 'request', meta: meta(turn), payload: { action }, depth: 0 })
  ask('a', 'ping')
  ask('b', 'health-check')
  client.send({ ...question, type: 'rumour' as Signal['type'], meta: meta('c') })
  const heard: string[] = []
  for await (const { meta, payload } of client) {
    if (heard.push(`${meta.turn} ${payload.action}`) === 4) break
  }
  client.close()
  expect(heard).toEqual(['a pong', 'b health', 'c error', 'c turn-end'])
})
