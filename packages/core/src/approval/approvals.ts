import { createHash, randomBytes, randomInt } from 'node:crypto'
import { z } from 'zod'
import type { SealedContents, SealedFolder } from '../base/sealed.ts'
import { type Action, parseAction, type Signal } from '../contract/signal.ts'

/** SHA-256 over the action with sorted keys, in hex. */
export function actionDigest(action: Action): string {
  return createHash('sha256').update(canonical(action)).digest('hex')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(',')}}`
}

/** A gate that asked, with its reason in words. */
export interface Asker {
  gate: string
  rule?: string | undefined
  reason: string
}

/** A way in which a yes could be made to last. */
export interface Offer {
  /** What the owner types after `always`; lower case. The first offer is also meant without. */
  word: string
  /** What would be allowed, for the owner: `git push in ~/garden, until 21 December`. */
  shows: string
  /** Plain data that `remember` understands. */
  rule: unknown
}

/** A question to the owner. */
export interface Approval {
  /** 32 hex digits; names the record and its flight plan, and is no secret. */
  id: string
  /** Six letters; the owner's word, never shown to a model. */
  token: string
  digest: string
  action: Action
  /** The signal that led to it. */
  signal: Signal
  /** The gates' objections, one in each line. */
  reason: string
  askers: readonly Asker[]
  /** What would change, as a diff; null when nobody can say. */
  preview: string | null
  /** The digest of the whole change that was shown, for a yes that is for this one; null for any. */
  shown: string | null
  /** How the yes could be made to last; what was shown, and nothing else. */
  offers: readonly Offer[]
  /** What the owner had said in the session that asked. */
  heard: readonly string[]
  /** ms since the epoch. */
  asked: number
  /** ms since the epoch. */
  expires: number
}

/** How long a question stays open, in ms. */
export const approvalLifetimeMs: number = 24 * 60 * 60_000

const storedSchema = z.object({
  token: z.string().regex(/^[a-z]{6}$/),
  action: z.unknown(),
  signal: z.object({
    type: z.enum(['event', 'request', 'response', 'log', 'status', 'stream-chunk']),
    meta: z.object({
      source: z.string(),
      sessionId: z.string().optional(),
      turn: z.string().optional(),
      takesDeeds: z.boolean().optional(),
      call: z.string().optional(),
      isUnproven: z.literal(true).optional(),
      origin: z.enum(['owner', 'agent', 'tool', 'web', 'message']).optional(),
    }),
    payload: z.looseObject({}),
    depth: z.int().min(0),
  }),
  reason: z.string(),
  askers: z.array(z.object({ gate: z.string(), rule: z.string().optional(), reason: z.string() })),
  preview: z.string().nullable(),
  shown: z.string().nullable().default(null),
  offers: z.array(z.object({ word: z.string(), shows: z.string(), rule: z.unknown() })),
  heard: z.array(z.string()),
  asked: z.number(),
  expires: z.number(),
})

function readStored(id: string, value: unknown): Approval | null {
  const stored = storedSchema.safeParse(value)
  if (!stored.success) return null
  const action = parseAction(stored.data.action)
  if (!action.ok) return null
  return { ...stored.data, id, action: action.value, digest: actionDigest(action.value) }
}

const letters = 'abcdefghjkmnpqrstuvwxyz'
const openMax = 100

function newToken(taken: ReadonlyMap<string, unknown>): string {
  const token = Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')
  return taken.has(token) ? newToken(taken) : token
}

function restored({ open, spent, broken }: SealedContents) {
  const read = ({ id, value }: { id: string; value: unknown }) => readStored(id, value) ?? []
  return { open: open.flatMap(read), spent: spent.flatMap(read), broken }
}

/** The open questions of a daemon. */
export class Approvals {
  readonly #clock: { now(): Date }
  readonly #folder: SealedFolder | null
  readonly #open = new Map<string, Approval>()
  readonly #lapsed: Approval[] = []
  /** Ids of records that were found broken at the start. */
  readonly broken: readonly string[] = []
  /** Records that were spent before the start, and of which nobody knows what came. */
  readonly spentBefore: readonly Approval[] = []

  /** Without a folder the questions live as long as this object. Throws when the folder cannot be read. */
  constructor(clock: { now(): Date }, folder: SealedFolder | null = null) {
    this.#clock = clock
    this.#folder = folder
    if (folder === null) return
    const { open, spent, broken } = restored(folder.contents())
    this.broken = broken
    this.spentBefore = spent
    for (const approval of open) this.#open.set(approval.token, approval)
    for (const { id, expires } of this.spentBefore) if (this.#isOver(expires)) folder.bury(id)
  }

  /** Records a question and returns it with a new token. Throws when the record cannot be kept. */
  ask(action: Action, signal: Signal, reason: string, more: Partial<Approval> = {}): Approval {
    const token = newToken(this.#open)
    const { askers = [], preview = null, shown = null, offers = [], heard = [] } = more
    const asked = this.#clock.now().getTime()
    const stored = { token, action, signal, reason, askers, preview, shown, offers, heard, asked }
    const expires = asked + approvalLifetimeMs
    const approval = readStored(randomBytes(16).toString('hex'), { ...stored, expires })
    if (approval === null) throw new TypeError('Expected an action that can be recorded')
    this.#folder?.put(approval.id, approval)
    this.#open.set(token, approval)
    const [oldest] = this.#open.values()
    if (this.#open.size > openMax && oldest !== undefined) this.#lapse(oldest)
    return approval
  }

  /** Spends the question with this token or id, once and in its time; else null. */
  take(tokenOrId: string): Approval | null {
    const word = tokenOrId.toLowerCase()
    const approval = this.#open.get(word) ?? this.open().find(({ id }) => id === word)
    if (approval === undefined || this.#isOver(approval.expires)) return null
    this.#open.delete(approval.token)
    return this.#folder === null || this.#folder.spend(approval.id) ? approval : null
  }

  /** The questions that can still be answered, oldest first. */
  open(): Approval[] {
    return [...this.#open.values()].filter(({ expires }) => !this.#isOver(expires))
  }

  /** The questions that nobody may answer any more, each once. */
  expire(): Approval[] {
    for (const one of this.#open.values()) if (this.#isOver(one.expires)) this.#lapse(one)
    return this.#lapsed.splice(0)
  }

  #lapse(approval: Approval): void {
    this.#open.delete(approval.token)
    this.#folder?.spend(approval.id)
    this.#lapsed.push(approval)
  }

  #isOver(expires: number): boolean {
    return this.#clock.now().getTime() >= expires
  }
}

/** A text with the tokens of open questions made unreadable. */
export function withoutOpenTokens(approvals: Approvals, text: string): string {
  const tokens = approvals.open().map(({ token }) => token)
  if (tokens.length === 0) return text
  return text.replace(new RegExp(`(?<![a-z])(?:${tokens.join('|')})(?![a-z])`, 'gi'), '······')
}

const refusalsMax = 1_000

/** What the owner has just said no to. */
export class Refusals {
  readonly #keys = new Set<string>()

  /** Remembers a no. */
  add({ digest, signal }: Approval): void {
    if (this.#keys.size >= refusalsMax) this.#keys.clear()
    this.#keys.add(`${signal.meta.sessionId} ${digest}`)
  }

  /** Whether the owner has just said no to this. */
  has(action: Action, signal: Signal): boolean {
    return this.#keys.has(`${signal.meta.sessionId} ${actionDigest(action)}`)
  }

  /** The session's owner has said something new. */
  forget(sessionId: string | undefined): void {
    for (const key of this.#keys) if (key.startsWith(`${sessionId} `)) this.#keys.delete(key)
  }
}
