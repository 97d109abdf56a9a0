import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { messageOf } from '../base/printing.ts'
import { type Signal, type SignalMeta, type SignalPayload, turnEnd } from '../contract/signal.ts'
import { Channel, destroyAfter, farewellMs } from './channel.ts'
import { decodeSignal, encodeSignal } from './envelope.ts'
import { encodeFrame, FrameError } from './frame.ts'
import {
  type Answer,
  admission,
  HandshakeError,
  hello,
  judgeAnswer,
  sealKeyOf,
} from './handshake.ts'
import { Seal } from './seal.ts'

/** What the connections of one door share. */
export interface Door {
  version: string
  capabilities: readonly string[]
  /** What a client proves; null where everybody who can connect is the owner. */
  token: string | null
  /** Whether a client may talk without having proved anything. */
  takesLegacy: boolean
  /** How long a stranger has for its proof, in ms. */
  strangerMs: number
  /** Gives a client its session: the one it wishes to go on with, when that is free, else a new one. */
  admit(connection: Connection, source: string, wish: string | undefined): string
  heard(signal: Signal): void
  /** What is told about the daemon and a session to a client that asks how it is. */
  health(sessionId: string): SignalPayload
  /** The open questions, for a client that asks for them. */
  questions(): SignalPayload
  log(message: string): void
}

const strangerMaxCodePoints = 1_024

/** What the daemon knows of a client, and writes into its signals. */
interface ClientFacts {
  sessionId: string
  takesChunks: boolean
  takesDeeds: boolean
  /** True for a client that was let in without a proof. */
  isUnproven?: true
}

/** The daemon's end of a connection. */
export class Connection {
  readonly #socket: Socket
  readonly #door: Door
  readonly #channel: Channel
  readonly #nonce = randomBytes(16).toString('hex')
  readonly #deadline: NodeJS.Timeout
  #client: ClientFacts | null = null

  /** Takes a socket and greets whoever is there. */
  constructor(socket: Socket, door: Door) {
    this.#socket = socket
    this.#door = door
    this.#deadline = destroyAfter(socket, door.strangerMs)
    socket.on('error', (error) => door.log(`connection: ${error.message}`))
    const refuse = (error: unknown) => this.#refuse(error)
    this.#channel = new Channel(socket, strangerMaxCodePoints, (text) => this.#hear(text), refuse)
    const { version, capabilities } = door
    this.send(hello({ version, capabilities, nonce: this.#nonce }, door.token === null))
  }

  /** Who is here, once that is known. */
  get client(): Readonly<ClientFacts> | null {
    return this.#client
  }

  /** Cuts the connection, without a word. */
  destroy(): void {
    this.#socket.destroy()
  }

  /** Sends a signal; drops it when the connection is gone, and the connection when it takes nothing. */
  send(signal: Signal): void {
    const told = withoutNotes(signal)
    const isTaken = this.#channel.send(told, (why) => fault('unsendable', why, told.meta))
    if (!isTaken) this.#door.log('connection closed: the client does not take what it is sent')
  }

  #refuse(error: unknown): void {
    const text = messageOf(error)
    this.#door.log(`connection closed: ${text}`)
    if (this.#client !== null || isTold(error)) this.send(fault('refused', text))
    this.#channel.dismiss()
  }

  #hear(message: string): void {
    const parsed = decodeSignal(message)
    const known = this.#client
    const signal = parsed.ok ? parsed.value : noSignal
    if (known === null && !parsed.ok)
      throw new HandshakeError(`This is no signal: ${parsed.reason}`)
    const answer = known === null ? introduced(signal, this.#nonce, this.#door) : null
    const client = answer === null ? known : this.#enter(answer)
    const isHeard = answer === null || answer.isUnproven
    if (client !== null && isHeard) hear(parsed, client, this.#door, this)
  }

  #enter({ isUnproven, ...answer }: Introduction): ClientFacts {
    clearTimeout(this.#deadline)
    this.#channel.liftLimit()
    const { token } = this.#door
    const sessionId = this.#door.admit(this, answer.source, answer.sessionId)
    this.#client = { sessionId, ...takenBy(answer), ...(isUnproven ? { isUnproven } : {}) }
    if (!isUnproven) this.send(admission(answer, sessionId, this.#nonce, token))
    if (answer.sealed && token !== null) {
      this.#channel.seals = sealsOf(sealKeyOf(token, this.#nonce, answer.nonce))
    }
    return this.#client
  }
}

function isTold(error: unknown): boolean {
  return error instanceof HandshakeError || (error instanceof FrameError && error.isTooLong)
}

function takenBy({ capabilities }: Answer): Pick<ClientFacts, 'takesChunks' | 'takesDeeds'> {
  return {
    takesChunks: capabilities.includes('stream-chunk'),
    takesDeeds: capabilities.includes('deeds'),
  }
}

function withoutNotes({ meta, ...signal }: Signal): Signal {
  const { call: _, isUnproven: __, takesChunks: ___, takesDeeds: ____, ...told } = meta
  return { ...signal, meta: told }
}

function sealsOf(key: string): { incoming: Seal; outgoing: Seal } {
  return { incoming: new Seal(key, 'to-daemon'), outgoing: new Seal(key, 'to-client') }
}

type Introduction = Answer & { isUnproven: boolean }

/** What the first message of a connection says. Throws a HandshakeError when it may not come in. */
function introduced(signal: Signal, nonce: string, door: Door): Introduction {
  const isLegacy = signal !== noSignal && signal.payload.action !== 'authenticate'
  if (!door.takesLegacy || !isLegacy) {
    return { ...judgeAnswer(signal, nonce, door.token), isUnproven: false }
  }
  return {
    source: signal.meta.source,
    proof: '',
    nonce: '',
    capabilities: [],
    sealed: false,
    sessionId: undefined,
    protocol: 1,
    isUnproven: true,
  }
}

function hear(
  parsed: ReturnType<typeof decodeSignal>,
  client: ClientFacts,
  door: Door,
  connection: Connection,
): void {
  if (!parsed.ok) {
    const turn = 'turn' in parsed ? parsed.turn : undefined
    connection.send(fault('malformed', `This is no signal: ${parsed.reason}`, { turn }))
    if (turn !== undefined) connection.send(turnEnd(named({ turn })))
    return
  }
  const { meta, payload } = parsed.value
  if (payload.action === 'ping') connection.send(says({ ...payload, action: 'pong' }, meta))
  else if (payload.action !== 'health-check' && payload.action !== 'approvals') {
    door.heard({ ...parsed.value, meta: { ...meta, ...client } })
  } else if (client.isUnproven) {
    const why = 'How the daemon is, is told to those who prove the token'
    connection.send(fault('refused', why, meta))
  } else if (payload.action === 'approvals') {
    connection.send(says({ action: 'approvals', ...door.questions() }, meta))
  } else connection.send(says({ action: 'health', ...door.health(client.sessionId) }, meta))
}

type Turn = Pick<SignalMeta, 'turn'>

function named({ turn }: Turn): SignalMeta {
  return turn === undefined ? { source: 'daemon' } : { source: 'daemon', turn }
}

function says(payload: SignalPayload, turn: Turn = {}): Signal {
  return { type: 'status', meta: named(turn), payload, depth: 0 }
}

function fault(code: 'refused' | 'malformed' | 'unsendable', text: string, turn?: Turn): Signal {
  return says({ action: 'error', code, text }, turn)
}

/** Stands for a message that could not be read, which proves nothing. */
const noSignal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }

/** Ends a socket with a word, before it is a connection. */
export function turnAway(socket: Socket, text: string): void {
  socket.on('error', () => {}).resume()
  socket.end(encodeFrame(encodeSignal(fault('refused', text))))
  destroyAfter(socket, farewellMs)
}
