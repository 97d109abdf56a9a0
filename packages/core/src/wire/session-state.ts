import { z } from 'zod'
import type { Approval, Approvals } from '../approval/approvals.ts'
import type { TokenUsage } from '../contract/provider.ts'
import type { SignalPayload } from '../contract/signal.ts'
import type { Scopes } from '../memory/scopes.ts'

/** What a session has spent, and on whom. */
interface Spent {
  /** Who answered last; null for nobody yet. */
  provider: string | null
  inputTokens: number
  outputTokens: number
  /** How much of what was read came from the vendors' caches. */
  cachedTokens: number
  /** In US dollars, as far as prices are known. */
  cost: number
}

const nothing: Spent = {
  provider: null,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cost: 0,
}

const sessionsMax = 1_000

/** Counts tokens by session. */
export class Usage {
  readonly #sessions = new Map<string, Spent>()

  /** Notes one thought. */
  note(session: string | undefined, provider: string | null, usage: TokenUsage | null): void {
    if (session === undefined) return
    const before = this.of(session)
    this.#sessions.delete(session)
    this.#sessions.set(session, {
      provider: provider ?? before.provider,
      inputTokens: before.inputTokens + (usage?.inputTokens ?? 0),
      outputTokens: before.outputTokens + (usage?.outputTokens ?? 0),
      cachedTokens: before.cachedTokens + (usage?.cachedTokens ?? 0),
      cost: before.cost + (usage?.cost ?? 0),
    })
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > sessionsMax && oldest !== undefined) this.#sessions.delete(oldest)
  }

  /** What this session has spent. */
  of(session: string): Spent {
    return this.#sessions.get(session) ?? nothing
  }
}

/** What is known of all sessions. */
export interface SessionState {
  /** What the sessions have spent. */
  usage: Usage
  /** Which part of the notes a session is about. */
  scopes: Scopes
  approvals: Approvals
}

/** What a session's status bar shows. */
export function sessionFacts(
  { approvals, scopes, usage }: SessionState,
  session: string,
): SignalPayload {
  const { provider, ...tokens } = usage.of(session)
  const scope = scopes.of(session).at(-1) ?? 'memex'
  const waiting = approvals.open().length
  return { ...(provider === null ? {} : { provider }), ...tokens, scope, waiting }
}

const toldMax = 20
const previewMax = 20_000
const partMax = 4_000

/** A question as data. */
function questionOf(approval: Approval): Record<string, unknown> {
  const { action, asked, askers, digest, expires, id, offers, preview, signal, token } = approval
  const { args, cmd, explanation, text, tool } = action.payload
  const parts = { tool, cmd, text, explanation, args: args && JSON.stringify(args) }
  const given = Object.entries(parts).filter(
    (part): part is [string, string] => part[1] !== undefined,
  )
  return {
    id,
    token,
    digest,
    target: action.target ?? 'cli',
    source: signal.meta.source,
    ...Object.fromEntries(given.map(([key, value]) => [key, shortened(value, partMax)])),
    askers: askers.map(({ gate, rule, reason }) => ({
      gate,
      ...(rule === undefined ? {} : { rule }),
      reason: shortened(reason, partMax),
    })),
    ...(preview === null ? {} : { preview: shortened(preview, previewMax) }),
    offers: offers.map(({ word, shows }) => ({ word, shows })),
    asked,
    expires,
  }
}

/** The text, or as much of it as that, and how long it is. */
export function shortened(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text.slice(0, max).toWellFormed()}… (${text.length} characters)`
}

/** The youngest open questions, the oldest of them first. */
export function openQuestions({ approvals }: Pick<SessionState, 'approvals'>): SignalPayload {
  return { questions: approvals.open().slice(-toldMax).map(questionOf) }
}

/** The question that these words of the daemon's put, for its payload. */
export function questionIn(
  { approvals }: Pick<SessionState, 'approvals'>,
  text: string,
): SignalPayload {
  const asked = approvals.open().findLast(({ token }) => text.includes(`“approve ${token}”`))
  return asked === undefined ? {} : { question: questionOf(asked) }
}

/** A question as a client has it. */
export interface Question {
  id: string
  token: string
  /** Of the action, 64 hex digits; the same as in a deed. */
  digest?: string | undefined
  target: string
  source: string
  tool?: string | undefined
  cmd?: string | undefined
  text?: string | undefined
  explanation?: string | undefined
  /** JSON. */
  args?: string | undefined
  askers: { gate: string; rule?: string | undefined; reason: string }[]
  /** A diff, or null when nobody can say what would change. */
  preview: string | null
  offers: { word: string; shows: string }[]
  /** ms since the epoch. */
  asked: number
  /** ms since the epoch. */
  expires: number
}

const part = z.string().optional()
const list = <T extends z.ZodType>(element: T) =>
  z
    .array(element)
    .nullish()
    .transform((all) => all ?? [])
const questionSchema = z.object({
  id: z.string(),
  token: z.string().regex(/^[a-z]{6}$/),
  digest: part,
  target: z.string(),
  source: z.string(),
  tool: part,
  cmd: part,
  text: part,
  explanation: part,
  args: part,
  askers: list(z.object({ gate: z.string(), rule: part, reason: z.string() })),
  preview: z
    .string()
    .nullish()
    .transform((text) => text ?? null),
  offers: list(z.object({ word: z.string(), shows: z.string() })),
  asked: z.number(),
  expires: z.number(),
})

/** The questions in a payload's field, one or a list; those that cannot be read are left out. */
export function readQuestions(value: unknown): Question[] {
  const given = Array.isArray(value) ? value : [value]
  return given.flatMap((one) => {
    const read = questionSchema.safeParse(one)
    return read.success ? [read.data] : []
  })
}

/** A deed as a client has it. */
export interface Deed {
  id: string
  /** 64 hex digits, of the action. */
  digest: string
  state: 'begun' | 'done' | 'failed'
  target?: string | undefined
  tool?: string | undefined
  cmd?: string | undefined
  explanation?: string | undefined
  /** JSON, perhaps cut. */
  args?: string | undefined
  output?: string | undefined
  /** The notes that were changed, by their paths in the memex. */
  files: string[]
  /** In the unified form; null when no note was changed. */
  diff: string | null
}

const deedSchema = z.object({
  action: z.literal('deed'),
  id: z.string().max(64),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  state: z.enum(['begun', 'done', 'failed']),
  target: part,
  tool: part,
  cmd: part,
  explanation: part,
  args: part,
  output: part,
  files: list(z.string()),
  diff: z
    .string()
    .nullish()
    .transform((text) => text ?? null),
})

/** The deed in the payload of a status, or null. */
export function readDeed(payload: unknown): Deed | null {
  const read = deedSchema.safeParse(payload)
  return read.success ? read.data : null
}
