import { z } from 'zod'
import type { ModelCall } from '../contract/message.ts'
import type { Provenance } from '../contract/signal.ts'

/** How an answer ended that was not finished. */
export type Ending = 'interrupted' | 'withdrawn' | 'broken off'

/** What came of a call: it was done or failed; the gates or the owner said no; it waits, was not begun, or its end is not known. */
export type ResultState =
  | 'done'
  | 'failed'
  | 'refused'
  | 'denied'
  | 'waiting'
  | 'skipped'
  | 'unknown'

/** How a turn ended. */
export type TurnOutcome = 'answered' | 'waiting' | 'stopped' | 'spent' | 'failed'

/** What an entry says. */
export type EntryBody =
  | { kind: 'words'; origin: Provenance; text: string }
  | { kind: 'material'; text: string }
  | {
      kind: 'answer'
      text: string
      calls: readonly ModelCall[]
      /** Null for the daemon's own words. */
      provider: string | null
      ending?: Ending | undefined
    }
  | {
      kind: 'result'
      /** The id of the call. */
      call: string
      tool: string
      state: ResultState
      /** What a model is shown of it. */
      text: string
      origin: Provenance
    }
  | { kind: 'notice'; text: string }
  /** What a turn has done, as the daemon knows it. */
  | { kind: 'receipt'; text: string }
  /** It stands for all entries before that number. */
  | { kind: 'summary'; text: string; before: number }
  | { kind: 'end'; outcome: TurnOutcome }

/** One entry: its body, the turn that it belongs to, and when it was made, in ms since the epoch. */
export type Entry = EntryBody & { turn: string; at: number }

/** The entries of one kind. */
export type EntryOf<K extends EntryBody['kind']> = Extract<Entry, { kind: K }>

const provenance = z.enum(['owner', 'agent', 'tool', 'web', 'message'])
const call = z.object({ id: z.string(), tool: z.string(), args: z.unknown() })
const endings = z.enum(['interrupted', 'withdrawn', 'broken off'])
const states = z.enum(['done', 'failed', 'refused', 'denied', 'waiting', 'skipped', 'unknown'])
const outcomes = z.enum(['answered', 'waiting', 'stopped', 'spent', 'failed'])
const text = z.string()
const bodySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('words'), origin: provenance, text }),
  z.object({ kind: z.literal('material'), text }),
  z.object({
    kind: z.literal('answer'),
    text,
    calls: z.array(call),
    provider: z.string().nullable(),
    ending: endings.optional(),
  }),
  z.object({
    kind: z.literal('result'),
    call: z.string(),
    tool: z.string(),
    state: states,
    text,
    origin: provenance,
  }),
  z.object({ kind: z.literal('notice'), text }),
  z.object({ kind: z.literal('receipt'), text }),
  z.object({ kind: z.literal('summary'), text, before: z.int().min(0) }),
  z.object({ kind: z.literal('end'), outcome: outcomes }),
])

/** The form of an entry. */
export const entrySchema: z.ZodType<Entry> = z.intersection(
  bodySchema,
  z.object({ turn: z.string(), at: z.number() }),
)

/** The conversation of one session. */
export class Transcript {
  readonly id: string
  readonly #entries: Entry[]
  readonly #calls = new Set<string>()
  readonly #sink: (entry: Entry) => void

  constructor(id: string, entries: readonly Entry[] = [], sink: (entry: Entry) => void = () => {}) {
    this.id = id
    this.#entries = [...entries]
    this.#sink = sink
    for (const entry of entries) this.#note(entry)
  }

  /** Oldest first. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  /** Adds an entry. Throws what the sink throws, and has added nothing then. */
  append(entry: Entry): void {
    this.#sink(entry)
    this.#entries.push(entry)
    this.#note(entry)
  }

  /** Replaces what was said; for what has to be forgotten. The sink is not told. */
  rewrite(change: (entry: Entry) => Entry): void {
    for (const [at, entry] of this.#entries.entries()) this.#entries[at] = change(entry)
  }

  /** An id for a call that is none of `taken`: the given one where it can be used. */
  callId(given: string | undefined, taken: ReadonlySet<string> = new Set()): string {
    const isFree = (id: string) => !this.#calls.has(id) && !taken.has(id)
    if (given !== undefined && /^[\w-]{1,64}$/.test(given) && isFree(given)) return given
    let count = this.#calls.size + 1
    while (!isFree(`call-${count}`)) count++
    return `call-${count}`
  }

  #note(entry: Entry): void {
    if (entry.kind === 'answer') for (const { id } of entry.calls) this.#calls.add(id)
  }
}

/** The calls of an answer that have no result among these entries, in their order. */
export function openCallsOf(
  { calls }: EntryOf<'answer'>,
  entries: readonly Entry[],
): readonly ModelCall[] {
  const ended = new Set(entries.flatMap((entry) => (entry.kind === 'result' ? [entry.call] : [])))
  return calls.filter(({ id }) => !ended.has(id))
}

/** The calls of the last answer that have no result, in their order. */
export function openCalls(entries: readonly Entry[]): readonly ModelCall[] {
  const last = entries.findLast((entry) => entry.kind === 'answer')
  return last === undefined ? [] : openCallsOf(last, entries)
}

/** The number of the entry that the turn under way begins with; one that waits for the owner has not ended. */
export function turnStart(entries: readonly Entry[]): number {
  return entries.findLastIndex((entry) => entry.kind === 'end' && entry.outcome !== 'waiting') + 1
}

/** The owner's own words in a session, oldest first. */
export function ownerWords(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'words' && entry.origin === 'owner' ? [entry.text] : [],
  )
}

/** Whose words weigh most among these entries, where a stranger's weigh most: `web`, `message`, or else the given. */
export function taintOf(entries: readonly Entry[], otherwise: Provenance): Provenance {
  for (const outside of ['web', 'message'] as const) {
    const isIts = (entry: Entry) => 'origin' in entry && entry.origin === outside
    if (otherwise === outside || entries.some(isIts)) return outside
  }
  return otherwise
}
