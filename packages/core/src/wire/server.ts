import { randomUUID } from 'node:crypto'
import { chmodSync, rmSync } from 'node:fs'
import {
  type AddressInfo,
  createServer,
  isIPv4,
  type Socket,
  type Server as SocketServer,
} from 'node:net'
import type { Signal, SignalPayload } from '../contract/signal.ts'
import { Connection, type Door, turnAway } from './connection.ts'

/** Where to listen, and whom to let in. */
export interface ServerOptions {
  /** Such as `127.0.0.1`. */
  host: string
  /** 0 for any free port. */
  port: number
  /** A Unix socket that only the owner can open; none when not said. */
  socketPath?: string | undefined
  /** The shared secret; 64 hex digits. */
  token: string
  version: string
  /** Whether clients of the first daemon's time may talk without a proof; on loopback only. */
  takesLegacy?: boolean
  /** Other bounds than the usual ones; each is for one door. */
  limits?: Partial<DoorLimits>
  /** Gets every signal of an authenticated client, with its session. */
  onSignal(signal: Signal): void
  /** Gets every session when it begins, with the source that it named itself. */
  onSession?(sessionId: string, source: string): void
  /** Whether a session is known from before this daemon, and may be gone on with. */
  isKnown?(sessionId: string): boolean
  /** What to tell a session about the daemon's health, beside the number of its sessions. */
  onHealth?(sessionId: string): SignalPayload
  /** The questions that wait for the owner. */
  onApprovals?(): SignalPayload
  onLog?(message: string): void
}

/** How many may be at one door, and for how long without a proof. */
interface DoorLimits {
  connections: number
  /** Of those, how many without a proof. */
  strangers: number
  strangerMs: number
}

/** A listening server. */
export interface Server {
  port: number
  /** Sends to a session; dropped when it is gone. */
  send(sessionId: string, signal: Signal): void
  /** Whether a session is connected. */
  has(sessionId: string): boolean
  /** The sessions of a source that have proved the token, the youngest last. */
  of: (source: string) => string[]
  /** Ends all connections and stops listening. */
  close(): Promise<void>
}

/** What the hello says that this daemon understands. */
const capabilities: readonly string[] = [
  'user-input',
  'approval',
  'interrupt',
  'stream-chunk',
  'deeds',
  'health-check',
  'approvals',
  'ping',
  'resume',
  'sealed',
]

/** Starts listening. Rejects when the port is taken; throws a RangeError for old clients off loopback. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { host, port, socketPath, token, takesLegacy = false } = options
  if (takesLegacy && !isLoopback(host)) {
    throw new RangeError(`Clients without a proof are for loopback only, not for ${host}`)
  }
  const room = new Room(options)
  const doors = [room.door(token, takesLegacy)]
  if (socketPath !== undefined) doors.push(room.door(null, false))
  const servers = await Promise.all(
    doors.map((door, at) => listen(room, door, at === 0 ? { host, port } : { path: socketPath! })),
  )
  return {
    port: (servers[0]!.address() as AddressInfo).port,
    send: (sessionId, signal) => room.sessions.get(sessionId)?.connection.send(signal),
    has: (sessionId) => room.sessions.has(sessionId),
    of: (source) =>
      [...room.sessions].flatMap(([id, session]) =>
        session.source === source && session.connection.client?.isUnproven !== true ? id : [],
      ),
    async close() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)))
      for (const { connections } of room.pools) for (const one of connections) one.destroy()
      await Promise.all(closed)
    },
  }
}

function isLoopback(host: string): boolean {
  return host === '::1' || host === 'localhost' || (isIPv4(host) && host.startsWith('127.'))
}

type Place = { host: string; port: number } | { path: string }

async function listen(room: Room, door: Door, place: Place): Promise<SocketServer> {
  const pool = room.pool()
  const server = createServer((socket) => room.enter(socket, door, pool))
  if ('path' in place) rmSync(place.path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(place, resolve)
  })
  if ('path' in place) chmodSync(place.path, 0o600)
  return server
}

const usualLimits: DoorLimits = { connections: 1_100, strangers: 64, strangerMs: 10_000 }
const namesMax = 10_000
const ownName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

interface Session {
  connection: Connection
  source: string
}

/** Who is at one door, the one that has waited longest first. */
interface Pool {
  connections: Set<Connection>
  strangers: Set<Connection>
}

/** Whether a daemon before this one has given out the session. */
function isOld(wish: string, { isKnown }: Pick<ServerOptions, 'isKnown'>): boolean {
  return ownName.test(wish) && isKnown?.(wish) === true
}

class Room {
  readonly sessions = new Map<string, Session>()
  readonly pools: Pool[] = []
  /** Every session that was given out, the oldest first. */
  readonly #names = new Set<string>()
  readonly #options: ServerOptions
  readonly #limits: DoorLimits

  constructor(options: ServerOptions) {
    this.#options = options
    this.#limits = { ...usualLimits, ...options.limits }
  }

  pool(): Pool {
    const pool = { connections: new Set<Connection>(), strangers: new Set<Connection>() }
    this.pools.push(pool)
    return pool
  }

  door(token: string | null, takesLegacy: boolean): Door {
    const options = this.#options
    const { version } = options
    return {
      version,
      capabilities,
      token,
      takesLegacy,
      strangerMs: this.#limits.strangerMs,
      admit: (connection, source, wish) => this.#admit(connection, source, wish),
      heard: (signal) => options.onSignal(signal),
      health: (id) => ({ version, sessions: this.sessions.size, ...options.onHealth?.(id) }),
      questions: () => options.onApprovals?.() ?? {},
      log: (message) => options.onLog?.(message),
    }
  }

  enter(socket: Socket, door: Door, { connections, strangers }: Pool): void {
    const limits = this.#limits
    if (connections.size >= limits.connections) {
      turnAway(socket, `Too many connections, the most are ${limits.connections}; close others`)
      return
    }
    const connection = new Connection(socket, door)
    connections.add(connection)
    strangers.add(connection)
    if (strangers.size > limits.strangers) strangers.values().next().value?.destroy()
    socket.once('close', () => {
      connections.delete(connection)
      strangers.delete(connection)
      this.#leave(connection)
    })
  }

  #admit(connection: Connection, source: string, wish: string | undefined): string {
    const isGiven = wish !== undefined && (this.#names.has(wish) || isOld(wish, this.#options))
    const id = isGiven && !this.sessions.has(wish) ? wish : randomUUID()
    this.#names.add(id)
    if (this.#names.size > namesMax) this.#names.delete(this.#names.values().next().value!)
    for (const { strangers } of this.pools) strangers.delete(connection)
    this.sessions.set(id, { connection, source })
    queueMicrotask(() => this.#options.onSession?.(id, source))
    return id
  }

  #leave(connection: Connection): void {
    const id = connection.client?.sessionId
    if (id !== undefined && this.sessions.get(id)?.connection === connection)
      this.sessions.delete(id)
  }
}
