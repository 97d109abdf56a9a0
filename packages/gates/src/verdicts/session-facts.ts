import {
  type Entry,
  type EntryOf,
  isFromOutside,
  type Runtime,
  type Signal,
} from '@passepartout/core'

/** A call that has changed something. */
interface PastCall {
  tool: string
  args: Record<string, unknown>
}

/** What the dispatcher's checks know of a conversation. */
export interface SessionFacts {
  /** What pages, messages and notes from outside have said in it. */
  foreign: readonly string[]
  /** Whether some of it was said in this turn. */
  isFresh: boolean
  /** Whether a tool has spoken in this turn whose words may be anybody's, such as a command. */
  isUnproven: boolean
  /** What the owner has said in this turn, and before it where that is only a yes. */
  heard: readonly string[]
  /** What was done in this turn. */
  changed: readonly PastCall[]
  /** Rules and no model have proposed the action. */
  isByRules: boolean
}

/** What is known of the session of a signal; null where nothing was said in it. */
export function sessionFacts(runtime: Runtime, { meta }: Signal): SessionFacts | null {
  const { entries } = runtime.sessions.of(meta.sessionId)
  if (entries.length === 0) return null
  const ended = entries.findLastIndex(
    (entry) => entry.kind === 'end' && entry.outcome !== 'waiting',
  )
  const now = entries.slice(ended + 1)
  return {
    foreign: entries.flatMap((entry) => foreignIn(runtime, entry)),
    isFresh: now.some((entry) => foreignIn(runtime, entry).length > 0),
    isUnproven: now.some((entry) => isUnproven(runtime, entry)),
    heard: heardIn(entries, now),
    changed: changedIn(runtime, now),
    isByRules: isByRules(runtime, now),
  }
}

const known = new WeakMap<Entry, readonly string[]>()

function foreignIn(runtime: Runtime, entry: Entry): readonly string[] {
  const before = known.get(entry)
  if (before !== undefined) return before
  const found = partsFrom(runtime, entry)
  known.set(entry, found)
  return found
}

function partsFrom({ store, tools }: Runtime, entry: Entry): readonly string[] {
  if (entry.kind === 'words') return isFromOutside(entry) ? [entry.text] : []
  const isMaterial = entry.kind === 'material'
  const isOutside = entry.kind === 'result' && isFromOutside(entry)
  if (!isMaterial && !isOutside) return []
  const isMixed = isMaterial || tools.get(entry.tool)?.reach === 'notes' || isLocal(entry)
  const quoting = entry.text.split(/\n(?=\*+ |\s*\n)/).filter((part) => store.quotesOutside(part))
  return isMixed && (isMaterial || quoting.length > 0) ? quoting : [entry.text]
}

const lookers = /^(?:find|show|search|read|agenda|list|outline|recall)\b/

function isLocal({ tool }: EntryOf<'result'>): boolean {
  return lookers.test(tool)
}

function isUnproven({ tools }: Runtime, entry: Entry): boolean {
  return entry.kind === 'result' && tools.get(entry.tool)?.reach !== 'notes'
}

const shortMax = 4

function heardIn(entries: readonly Entry[], now: readonly Entry[]): string[] {
  const own = (given: readonly Entry[]) =>
    given.flatMap((entry) =>
      entry.kind === 'words' && entry.origin === 'owner' ? [entry.text] : [],
    )
  const heard = own(now)
  const isShort = heard.every((text) => text.trim().split(/\s+/).length <= shortMax)
  if (!isShort) return heard
  return own(entries).slice(-heard.length - 1)
}

function changedIn({ tools }: Runtime, now: readonly Entry[]): PastCall[] {
  const done = new Set(
    now.flatMap((entry) => (entry.kind === 'result' && entry.state === 'done' ? [entry.call] : [])),
  )
  const calls = now.flatMap((entry) => (entry.kind === 'answer' ? entry.calls : []))
  return calls
    .filter(({ id, tool }) => done.has(id) && tools.get(tool)?.readOnly !== true)
    .map(({ args, tool }) => ({ tool, args: isRecord(args) ? args : {} }))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isByRules({ providers }: Runtime, now: readonly Entry[]): boolean {
  const last = now.findLast((entry) => entry.kind === 'answer')
  const name = last?.kind === 'answer' ? last.provider : null
  return providers.some((one) => one.name === name && one.rules === true)
}
