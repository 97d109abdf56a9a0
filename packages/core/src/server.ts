import { randomBytes, randomUUID } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { decodeSignal, encodeSignal, provesToken } from './envelope.ts'
import { encodeFrame, FrameDecoder, frameMaxCodePoints } from './frame.ts'
import type { Signal, SignalPayload } from './signal.ts'

/** Where to listen, and whom to let in. */
export interface ServerOptions {
  /** Such as `127.0.0.1`. */
  host: string
  /** 0 for any free port. */
  port: number
  /** The shared secret; 64 hex digits. */
  token: string
  version: string
  /** Gets every signal of an authenticated client, with its session. */
  onSignal(signal: Signal): void
  /** Gets every session when it begins, with the source that it named itself. */
  onSession?(sessionId: string, source: string): void
  onLog?(message: string): void
}

/** A listening server. */
export interface Server {
  port: number
  /** Sends to a session; dropped when it is gone. */
  send(sessionId: string, signal: Signal): void
  /** Whether a session is connected. */
  has(sessionId: string): boolean
  /** The sessions of a source, the youngest last. */
  of(source: string): string[]
  /** Ends all connections and stops listening. */
  close(): Promise<void>
}

/** What the hello says that this daemon understands. */
export const capabilities: readonly string[] = [
  'user-input',
  'approval',
  'interrupt',
  'stream-chunk',
]

const connectionsMax = 64
const authenticationTimeoutMs = 10_000
const farewellMs = 1_000
const strangerMaxCodePoints = 1_024
const unsentMaxBytes = 8_388_608

type Sessions = Map<string, { socket: Socket; source: string }>

/** Starts listening. Rejects when the port is taken. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const sessions: Sessions = new Map()
  const server = createServer((socket) => receive(socket, options, sessions))
  server.maxConnections = connectionsMax
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return {
    port: (server.address() as AddressInfo).port,
    send(sessionId, signal) {
      const session = sessions.get(sessionId)
      if (session !== undefined) write(session.socket, signal)
    },
    has: (sessionId) => sessions.has(sessionId),
    of: (source) => [...sessions].flatMap(([id, session]) => (session.source === source ? id : [])),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function write(socket: Socket, signal: Signal): void {
  if (socket.destroyed) return
  socket.write(frameOf(signal))
  if (socket.writableLength > unsentMaxBytes) socket.destroy()
}

function status(payload: SignalPayload): Signal {
  return { type: 'status', meta: { source: 'daemon' }, payload, depth: 0 }
}

function frameOf(signal: Signal): Buffer {
  try {
    return encodeFrame(encodeSignal(signal))
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return encodeFrame(encodeSignal(status({ action: 'error', text })))
  }
}

function receive(socket: Socket, options: ServerOptions, sessions: Sessions): void {
  const nonce = randomBytes(16).toString('hex')
  const sessionId = randomUUID()
  const decoder = new FrameDecoder(strangerMaxCodePoints)
  let known: ClientFacts | null = null
  const handle = (message: string) => {
    if (known !== null) return hear(socket, message, known, options)
    const { source, takesChunks } = checkProof(message, nonce, options.token)
    known = { sessionId, takesChunks }
    clearTimeout(deadline)
    decoder.codePointsMax = frameMaxCodePoints
    sessions.set(sessionId, { socket, source })
    write(socket, status({ action: 'authenticated', sessionId }))
    options.onSession?.(sessionId, source)
  }
  const deadline = destroyAfter(socket, authenticationTimeoutMs)
  socket.setNoDelay(true)
  socket.on('error', (error) => options.onLog?.(`connection: ${error.message}`))
  socket.on('close', () => sessions.delete(sessionId))
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const message of decoder.messages(chunk)) handle(message)
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      options.onLog?.(`connection closed: ${text}`)
      if (known !== null || error instanceof RefusedError)
        write(socket, status({ action: 'error', text }))
      dismiss(socket)
    }
  })
  const hello: SignalPayload = {
    action: 'handshake',
    version: options.version,
    capabilities,
    nonce,
  }
  write(socket, { type: 'event', meta: { source: 'daemon' }, payload: hello, depth: 0 })
}

function dismiss(socket: Socket): void {
  socket.removeAllListeners('data')
  socket.resume()
  socket.end()
  destroyAfter(socket, farewellMs)
}

function destroyAfter(socket: Socket, ms: number): NodeJS.Timeout {
  const timer = setTimeout(() => socket.destroy(), ms)
  socket.once('close', () => clearTimeout(timer))
  return timer
}

class RefusedError extends Error {}

/** Who the client says it is, and what it understands. Throws a RefusedError for a wrong proof. */
function checkProof(
  message: string,
  nonce: string,
  token: string,
): { source: string; takesChunks: boolean } {
  const parsed = decodeSignal(message)
  const payload = parsed.ok ? parsed.value.payload : {}
  if (parsed.ok && payload.action === 'authenticate' && provesToken(payload.proof, token, nonce)) {
    const { capabilities } = payload
    const takesChunks = Array.isArray(capabilities) && capabilities.includes('stream-chunk')
    return { source: parsed.value.meta.source, takesChunks }
  }
  throw new RefusedError('Expected the proof of the token')
}

/** What the server knows of a client, and writes into its signals. */
interface ClientFacts {
  sessionId: string
  takesChunks: boolean
}

function hear(socket: Socket, message: string, client: ClientFacts, options: ServerOptions): void {
  const parsed = decodeSignal(message)
  if (parsed.ok) {
    options.onSignal({ ...parsed.value, meta: { ...parsed.value.meta, ...client } })
    return
  }
  write(socket, status({ action: 'error', text: `This is no signal: ${parsed.reason}` }))
}
