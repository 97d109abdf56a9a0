import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectSocket, type Socket } from 'node:net'
import { type Announcement, findDaemon, readToken } from '../base/announcement.ts'
import type { Signal } from '../contract/signal.ts'
import { decodeSignal, encodeSignal } from './envelope.ts'
import { encodeFrame, FrameDecoder } from './frame.ts'
import {
  answerHello,
  checkAdmission,
  HandshakeError,
  type Hello,
  readHello,
  sealKeyOf,
} from './handshake.ts'
import { Seal } from './seal.ts'

/** Where the daemon is, and the token from its state directory. */
interface ConnectOptions {
  host: string
  port: number
  token: string
  /** The daemon's Unix socket, which is taken instead of the port. */
  socketPath?: string | undefined
  /** What kind of client this is, such as `tui`; `cli` when not said. */
  source?: string
  /** What the client understands besides answers: `stream-chunk` for answers in pieces. */
  capabilities?: readonly string[]
  /** A session that this client had before, to go on with; a new one when it is not free. */
  sessionId?: string
  /** Whether every message is sealed against a program between the two. Needs the token. */
  sealed?: boolean
  /** How long the introduction may take, in milliseconds; five seconds when not said. */
  patienceMs?: number
}

/** A connection that has been let in. */
export interface Client extends AsyncIterable<Signal> {
  /** What the daemon said of itself. */
  hello: Hello
  sessionId: string
  send(signal: Signal): void
  close(): void
}

/** Connects and proves the token. Rejects when nobody listens, or says hello, or lets us in. */
export async function connect(options: ConnectOptions): Promise<Client> {
  const { host, port, socketPath } = options
  const socket = socketPath === undefined ? connectSocket(port, host) : connectSocket(socketPath)
  const place = socketPath ?? `Port ${port}`
  const late = new Error(`${place} does not answer like a daemon`)
  const timer = setTimeout(() => socket.destroy(late), options.patienceMs ?? 5_000)
  try {
    await once(socket, 'connect')
    return await introduce(socket, options)
  } catch (error) {
    socket.destroy()
    throw socket.errored ?? error
  } finally {
    clearTimeout(timer)
  }
}

async function introduce(socket: Socket, options: ConnectOptions): Promise<Client> {
  const { token, capabilities = [], source = 'cli', sealed = false, sessionId: wish } = options
  const inbox = new Inbox(socket)
  const hello = readHello(await inbox.next())
  if (hello.isOpen && options.socketPath === undefined)
    throw new HandshakeError('What answers here asks for no proof, and is not the daemon')
  const nonce = randomBytes(16).toString('hex')
  const wishes = { source, nonce, capabilities, sealed, sessionId: wish }
  const answer = answerHello(hello, hello.isOpen ? '' : token, wishes)
  socket.write(encodeFrame(encodeSignal(answer)))
  if (sealed) inbox.sealedFrom(1, new Seal(sealKeyOf(token, hello.nonce, nonce), 'to-client'))
  const sessionId = checkAdmission(await inbox.next(), hello, token, wishes)
  const seal = sealed ? new Seal(sealKeyOf(token, hello.nonce, nonce), 'to-daemon') : null
  return {
    hello,
    sessionId,
    send(signal) {
      const message = encodeSignal(signal)
      if (socket.writableCorked === 0) {
        socket.cork()
        process.nextTick(() => socket.uncork())
      }
      socket.write(encodeFrame(seal?.seal(message) ?? message))
    },
    close() {
      socket.uncork()
      socket.destroy()
    },
    async *[Symbol.asyncIterator]() {
      for (let signal = await inbox.next(); signal !== null; signal = await inbox.next())
        yield signal
    },
  }
}

/** The daemon announced in this state directory, if it answers to the token there; else null. */
export async function findAnsweringDaemon(stateDir: string): Promise<Announcement | null> {
  try {
    const client = await connectToDaemon(stateDir, { socket: false, source: 'probe' })
    client?.close()
    return client === null ? null : findDaemon(stateDir)
  } catch {
    return null
  }
}

/**
 * Connects to the daemon of a state directory; null when none is announced there. Rejects when what
 * is announced does not let us in.
 */
export async function connectToDaemon(
  stateDir: string,
  { socket = true, ...wishes }: Partial<ConnectOptions> & { socket?: boolean } = {},
): Promise<Client | null> {
  const daemon = findDaemon(stateDir)
  if (daemon === null) return null
  const socketPath = socket ? daemon.socket : undefined
  const token = readToken(stateDir)
  return connect({ host: '127.0.0.1', port: daemon.port, token, socketPath, ...wishes })
}

class Inbox {
  #seal: Seal | null = null
  /** How many messages still come before the sealed ones. */
  #unsealed = 0
  readonly #signals: Signal[] = []
  readonly #waiting: ((signal: Signal | null) => void)[] = []
  #ended = false

  constructor(socket: Socket) {
    const decoder = new FrameDecoder()
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const message of decoder.messages(chunk)) this.#put(this.#open(message))
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

  /** From here on, after this many messages more, everything is sealed. */
  sealedFrom(unsealed: number, seal: Seal): void {
    this.#unsealed = unsealed
    this.#seal = seal
  }

  #open(message: string): string {
    if (this.#unsealed-- > 0) return message
    return this.#seal?.unseal(message) ?? message
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
