import { z } from 'zod'

/** Whose words a text is. Written by the daemon, never by a model or a client. */
export type Provenance = 'owner' | 'agent' | 'tool' | 'web' | 'message'

/** Who speaks. */
type SignalType = 'event' | 'request' | 'response' | 'log' | 'status' | 'stream-chunk'

/** Where a signal came from; written by the daemon, never by a model. */
export interface SignalMeta {
  /** The name of a client or a gateway, such as `cli`; replies go back there. */
  source: string
  /** The connection to reply to; absent for what the daemon does on its own. */
  sessionId?: string | undefined
  /** A client's own name for what it sent; comes back in all that it leads to. */
  turn?: string | undefined
  /** Whether the client takes answers in pieces; it says so when it connects. */
  takesChunks?: boolean | undefined
  /** Whether the client is told what is done while it is done; it says so when it connects. */
  takesDeeds?: boolean | undefined
  /** Whether the client was let in without a proof, as the owner may allow; it can approve nothing. */
  isUnproven?: true | undefined
  /** The id of the call in its transcript that this led to; see the calls of a turn. */
  call?: string | undefined
  /** Whose words these are; absent counts as nobody's, which is the least that a gate can trust. */
  origin?: Provenance | undefined
}

/** What a signal carries. Known fields are typed, and each sensor adds its own. */
export interface SignalPayload {
  sensor?: string | undefined
  action?: string | undefined
  text?: string | undefined
  [field: string]: unknown
}

/** The words in a field of a payload, or its number; empty where there are none. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Whether the words of a signal are those of a page or of somebody who wrote. */
export function isFromOutside({ origin }: Pick<SignalMeta, 'origin'>): boolean {
  return origin === 'web' || origin === 'message'
}

/** The envelope that travels the pipeline. Not changed after it was made. */
export interface Signal {
  type: SignalType
  meta: SignalMeta
  payload: SignalPayload
  /** How many results of actions led here, from 0. */
  depth: number
}

/** A request to an actuator. */
export interface Action {
  type: 'request'
  /** The actuator's name; absent means the signal's source. */
  target?: string | undefined
  payload: ActionPayload
}

/** What the actuator is asked to do. */
interface ActionPayload {
  /** Such as `message`, `call`, `execute`. */
  action: string
  /** What to say. */
  text?: string | undefined
  /** Which tool to call, and with what. */
  tool?: string | undefined
  args?: Record<string, unknown> | undefined
  /** A shell command. */
  cmd?: string | undefined
  /** Why, in words for the owner. */
  explanation?: string | undefined
}

/** A value, or the reason why there is none. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: string }

const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z][a-z0-9-]*$/, 'Expected a lower-case name')

const signalSchema = z.object({
  type: z.enum(['event', 'request', 'response', 'log', 'status', 'stream-chunk']),
  meta: z
    .object({
      source: name.default('cli'),
      sessionId: z.string().max(64).optional(),
      turn: z.string().max(64).optional(),
    })
    .prefault({}),
  payload: z.looseObject({
    sensor: name.optional(),
    action: name.optional(),
    text: z.string().optional(),
  }),
  depth: z.int().min(0).default(0),
})

/** Reads a signal from outside. Fields the schema does not know are dropped, but for the payload's. */
export function parseSignal(value: unknown): Parsed<Signal> {
  return parseWith(signalSchema, value)
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'it'}: ${message}`,
  )
  return { ok: false, reason: issues.slice(0, 5).join('; ') }
}

const argumentDepthMax = 8

/** Whether the value could be written down as JSON, and a search can reach all of it. */
function isPlainData(value: unknown, depth = 0): boolean {
  if (depth > argumentDepthMax) return false
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value !== 'object') {
    return value === null || ['string', 'boolean', 'undefined'].includes(typeof value)
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  const isOrdinary = Array.isArray(value) || prototype === Object.prototype || prototype === null
  return isOrdinary && Object.values(value).every((part) => isPlainData(part, depth + 1))
}

const argumentsSchema = z
  .record(z.string(), z.unknown())
  .refine((args) => isPlainData(args), 'Expected plain data, at most eight levels deep')

const actionSchema = z.object({
  type: z.literal('request'),
  target: name.optional(),
  payload: z.object({
    action: name,
    text: z.string().max(200_000).optional(),
    tool: z.string().max(64).optional(),
    args: argumentsSchema.optional(),
    cmd: z.string().max(20_000).optional(),
    explanation: z.string().max(20_000).optional(),
  }),
})

/** Reads a proposed action. Every field the schema does not know is dropped. */
export function parseAction(value: unknown): Parsed<Action> {
  return parseWith(actionSchema, value)
}

/** The action that answers the sender of a signal. */
export function messageAction(text: string): Action {
  return { type: 'request', payload: { action: 'message', text } }
}

/** The status that ends the turn of `meta`; `where` tells the context that it ended in. */
export function turnEnd(meta: SignalMeta, where: { scope?: string } = {}): Signal {
  return { type: 'status', meta, payload: { action: 'turn-end', ...where }, depth: 0 }
}
