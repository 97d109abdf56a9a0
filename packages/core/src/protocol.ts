import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { type Announcement, findDaemon, readToken } from './announcement.ts'
import { decodeSignal, encodeSignal, proofOf } from './envelope.ts'
import { encodeFrame, FrameDecoder } from './frame.ts'
import type { Signal, SignalPayload } from './signal.ts'

export { type Announcement, findDaemon, readToken, stateDirectory } from './announcement.ts'
export { decodeSignal, encodeSignal, proofOf } from './envelope.ts'
export { encodeFrame, FrameDecoder, FrameError, frameMaxCodePoints } from './frame.ts'
export { objectToPlist, PlistError, plistToObject, printPlist, readPlist } from './plist.ts'
export type { Signal, SignalMeta, SignalPayload, SignalType } from './signal.ts'

/** Where the daemon is, and the token from its state directory. */
export interface ConnectOptions {
  host: string
  port: number
  token: string
  /** What the client understands besides answers: `stream-chunk` for answers in pieces. */
  capabilities?: readonly string[]
  /** How long the introduction may take, in milliseconds; five seconds when not said. */
  patienceMs?: number
}

/** A connection that has been let in. */
export interface Client extends AsyncIterable<Signal> {
  /** What the daemon said of itself: `version`, `capabilities`. */
  hello: SignalPayload
  send(signal: Signal): void
  close(): void
}

/** Connects and proves the token. Rejects when nobody listens, or says hello, or lets us in. */
export async function connect(options: ConnectOptions): Promise<Client> {
  const socket = connectSocket(options.port, options.host)
  const late = new Error(`Port ${options.port} does not answer like a daemon`)
  const timer = setTimeout(() => socket.destroy(late), options.patienceMs ?? 5_000)
  try {
    await once(socket, 'connect')
    const inbox = new Inbox(socket)
    const hello = await introduce(socket, inbox, options)
    return clientOf(socket, inbox, hello)
  } catch (error) {
    socket.destroy()
    throw socket.errored ?? error
  } finally {
    clearTimeout(timer)
  }
}

async function introduce(
  socket: Socket,
  inbox: Inbox,
  { capabilities = [], token }: ConnectOptions,
): Promise<SignalPayload> {
  const hello = await inbox.next()
  const nonce = hello?.payload.nonce
  if (hello === null || typeof nonce !== 'string') throw new Error('Expected the hello of a daemon')
  send(socket, {
    type: 'request',
    meta: { source: 'cli' },
    payload: { action: 'authenticate', proof: proofOf(token, nonce), capabilities },
    depth: 0,
  })
  const word = await inbox.next()
  if (word?.payload.action === 'authenticated') return hello.payload
  throw new Error(word?.payload.text ?? 'The daemon closed the connection')
}

function clientOf(socket: Socket, inbox: Inbox, hello: SignalPayload): Client {
  return {
    hello,
    send: (signal) => send(socket, signal),
    close: () => socket.destroy(),
    async *[Symbol.asyncIterator]() {
      for (let signal = await inbox.next(); signal !== null; signal = await inbox.next())
        yield signal
    },
  }
}

function send(socket: Socket, signal: Signal): void {
  socket.write(encodeFrame(encodeSignal(signal)))
}

/** The daemon announced in this state directory, if it answers to the token there; else null. */
export async function findAnsweringDaemon(stateDir: string): Promise<Announcement | null> {
  const announced = findDaemon(stateDir)
  if (announced === null) return null
  try {
    const token = readToken(stateDir)
    const client = await connect({ host: '127.0.0.1', port: announced.port, token })
    client.close()
    return announced
  } catch {
    return null
  }
}

class Inbox {
  readonly #signals: Signal[] = []
  readonly #waiting: ((signal: Signal | null) => void)[] = []
  #ended = false

  constructor(socket: Socket) {
    const decoder = new FrameDecoder()
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const message of decoder.push(chunk)) this.#put(message)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#ended = true
      for (const resolve of this.#waiting.splice(0)) resolve(null)
    })
  }

  #put(message: string): void {
    const parsed = decodeSignal(message)
    if (!parsed.ok) return
    const reader = this.#waiting.shift()
    if (reader === undefined) this.#signals.push(parsed.value)
    else reader(parsed.value)
  }

  /** The next signal, or null after the end. */
  next(): Promise<Signal | null> {
    const signal = this.#signals.shift()
    if (signal !== undefined || this.#ended) return Promise.resolve(signal ?? null)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
