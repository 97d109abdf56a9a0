import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { Keyword } from '../base/plist.ts'
import type { Signal, SignalPayload } from '../contract/signal.ts'

/** HMAC-SHA-256 of a text under the token, in lower-case hex. (RFC 2104) */
export function proofOf(token: string, text: string): string {
  return createHmac('sha256', token).update(text).digest('hex')
}

/** Whether the proof belongs to this token and text. Takes the same time for every wrong one. */
export function provesToken(proof: unknown, token: string, text: string): boolean {
  const wanted = Buffer.from(proofOf(token, text))
  const given = Buffer.from(typeof proof === 'string' ? proof : '')
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

function daemonsText(nonce: string, clientNonce: string): string {
  return `daemon:${nonce}:${clientNonce}`
}

/** The key of this connection's seals, for whoever holds the token and saw both nonces. */
export function sealKeyOf(token: string, nonce: string, clientNonce: string): string {
  return proofOf(token, `seal:${nonce}:${clientNonce}`)
}

/** The versions of the protocol that this program speaks. */
const protocolVersions: readonly number[] = [1]

/** What the daemon says of itself before anything else. */
export interface Hello {
  /** Of the program, such as `0.1.0`. */
  version: string
  /** The versions of the protocol that it speaks. */
  protocols: readonly number[]
  capabilities: readonly string[]
  /** 32 hex digits, new for each connection. */
  nonce: string
  /** Whether a proof is needed here; a Unix socket that only its owner can open needs none. */
  isOpen: boolean
}

const nonceSchema = z.string().regex(/^[0-9a-f]{32}$/, 'Expected a nonce of 32 hex digits')
const namesSchema = z.preprocess(namesOf, z.array(z.string().max(64)).max(64))

/** Names as strings, whether they came as strings, as keywords, or as keywords taken for a plist. */
function namesOf(given: unknown): unknown {
  if (given === undefined || given === null) return []
  if (given instanceof Keyword) return given.name.toLowerCase()
  if (Array.isArray(given)) return given.map(namesOf)
  if (typeof given !== 'object') return given
  return Object.entries(given).flatMap(([key, value]) => [dashed(key), namesOf(value)])
}

function dashed(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

const helloSchema = z.object({
  action: z.literal('handshake'),
  version: z.string().max(64).default(''),
  capabilities: namesSchema,
  nonce: nonceSchema,
  protocol: z.array(z.int()).max(16).default([1]),
  authentication: z.enum(['token', 'none']).default('token'),
})

/** The daemon's first signal; without a need for proof on a socket that is open to its owner. */
export function hello(
  given: { version: string; capabilities: readonly string[]; nonce: string },
  isOpen = false,
): Signal {
  return daemonSays('event', {
    action: 'handshake',
    version: given.version,
    capabilities: given.capabilities,
    nonce: given.nonce,
    protocol: protocolVersions,
    authentication: isOpen ? 'none' : 'token',
  })
}

function daemonSays(type: Signal['type'], payload: SignalPayload): Signal {
  return { type, meta: { source: 'daemon' }, payload, depth: 0 }
}

/** Something in the handshake is not as it must be; the connection cannot go on. */
export class HandshakeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'HandshakeError'
  }
}

/** What a hello says. Throws a HandshakeError when it is none, or speaks no version of ours. */
export function readHello(signal: Signal | null): Hello {
  const parsed = helloSchema.safeParse(signal?.payload)
  if (!parsed.success) throw new HandshakeError('Expected the hello of a daemon')
  const { version, capabilities, nonce, protocol, authentication } = parsed.data
  if (!protocol.some((spoken) => protocolVersions.includes(spoken))) {
    throw new HandshakeError(
      `The daemon speaks version ${protocol.join(', ')} of the protocol; this client ${protocolVersions.join(', ')}. Update the older of the two`,
    )
  }
  return { version, protocols: protocol, capabilities, nonce, isOpen: authentication === 'none' }
}

/** What a client answers to the hello. */
export interface Answer {
  source: string
  proof: string
  /** The client's own nonce; empty when it does not ask the daemon for a proof. */
  nonce: string
  capabilities: readonly string[]
  /** Whether it wants every message sealed from here on. */
  sealed: boolean
  /** The session that it would like to go on with. */
  sessionId: string | undefined
  protocol: number
}

const answerSchema = z.object({
  action: z.literal('authenticate'),
  proof: z.string().max(64).default(''),
  nonce: nonceSchema.or(z.literal('')).default(''),
  capabilities: namesSchema,
  sealed: z.boolean().default(false),
  sessionId: z.string().max(64).optional(),
  protocol: z.int().default(1),
})

/** The answer to a hello. The source is a client's kind, such as `tui`. */
export function answerHello(
  { nonce: theirs, protocols }: Hello,
  token: string,
  wishes: Omit<Answer, 'proof' | 'protocol'>,
): Signal {
  const protocol = protocols
    .filter((spoken) => protocolVersions.includes(spoken))
    .sort((a, b) => a - b)
    .at(-1)
  const { source, ...rest } = wishes
  const proof = token === '' ? '' : proofOf(token, theirs)
  const payload = { action: 'authenticate', proof, protocol: protocol ?? 1, ...rest }
  return { type: 'request', meta: { source }, payload, depth: 0 }
}

/** What the answer says, if it may come in. Throws a HandshakeError with the reason otherwise. */
export function judgeAnswer(signal: Signal, nonce: string, token: string | null): Answer {
  const parsed = answerSchema.safeParse(signal.payload)
  if (!parsed.success) {
    const fields = parsed.error.issues.map(({ path }) => path.map(String).join('.'))
    throw new HandshakeError(
      `Expected an answer to the hello, with the proof of the token; look at ${fields.slice(0, 5).join(', ')}`,
    )
  }
  const { action: _, ...answer } = parsed.data
  if (token !== null && !provesToken(answer.proof, token, nonce)) {
    throw new HandshakeError('Expected the proof of the token')
  }
  if (!protocolVersions.includes(answer.protocol)) {
    throw new HandshakeError(`Version ${answer.protocol} of the protocol is not spoken here`)
  }
  if (answer.sealed && (answer.nonce === '' || token === null)) {
    throw new HandshakeError('Seals need a token, and a nonce from each side')
  }
  return { ...answer, source: signal.meta.source, sessionId: answer.sessionId }
}

const admissionSchema = z.object({
  action: z.literal('authenticated'),
  sessionId: z.string(),
  proof: z.string().default(''),
  sealed: z.boolean().default(false),
})

/** The daemon's word that the client is let in. */
export function admission(
  { nonce: clientNonce, sealed, protocol }: Answer,
  sessionId: string,
  nonce: string,
  token: string | null,
): Signal {
  const isProven = token !== null && clientNonce !== ''
  return daemonSays('status', {
    action: 'authenticated',
    sessionId,
    protocol,
    ...(isProven ? { proof: proofOf(token, daemonsText(nonce, clientNonce)) } : {}),
    ...(sealed ? { sealed } : {}),
  })
}

/** The session, when the daemon's word is good. Throws a HandshakeError with the reason otherwise. */
export function checkAdmission(
  signal: Signal | null,
  { nonce, isOpen }: Hello,
  token: string,
  wished: { nonce: string; sealed: boolean },
): string {
  const parsed = admissionSchema.safeParse(signal?.payload)
  if (!parsed.success) {
    throw new HandshakeError(signal?.payload.text ?? 'The daemon closed the connection')
  }
  const { sessionId, proof, sealed } = parsed.data
  if (!isOpen && !provesToken(proof, token, daemonsText(nonce, wished.nonce))) {
    throw new HandshakeError('What answers here does not hold the token, and is not the daemon')
  }
  if (wished.sealed !== sealed) throw new HandshakeError('The seals were refused on the way')
  return sessionId
}
