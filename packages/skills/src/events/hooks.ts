import {
  type Authorship,
  type DayNumber,
  dayNumber,
  type MemoryObject,
  type ObjectStore,
  parseQuery,
  type Query,
  QueryError,
  type Snapshot,
  type Tier,
  textHash,
  type Version,
} from '@passepartout/core'
import { parse } from 'org-ast'
import { z } from 'zod'

/** One of the things that can happen. */
export type EventKind =
  | 'note-added'
  | 'note-changed'
  | 'note-gone'
  | 'task-added'
  | 'task-done'
  | 'task-reopened'
  | 'cron'
  | 'day'
  | 'start'
  | 'tool-failed'
  | 'refused'
  | 'plan-waiting'

const withNote: readonly EventKind[] = [
  ...(['note-added', 'note-changed'] as const),
  ...(['task-added', 'task-done', 'task-reopened'] as const),
]

/** All of them. */
export const eventKinds: readonly EventKind[] = [
  ...withNote,
  ...(['note-gone', 'cron', 'day', 'start', 'tool-failed', 'refused', 'plan-waiting'] as const),
]

/** A hook as it is written. */
interface HookWords {
  event: EventKind
  /** What the note must meet; null for any. */
  query: Query | null
  /** What to do, in words. */
  sentence: string
  tier: Tier
  cooldownMs: number
  budget: { count: number; windowMs: number }
}

const unitMs = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

const fields = z.strictObject({
  do: z.string().trim().min(1, 'is empty').max(2_000, 'is too long'),
  tier: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['reflex', 'cognition', 'reasoning'], 'is reflex, cognition or reasoning'))
    .default('reflex'),
  cooldown: z
    .string()
    .regex(/^\d{1,4}(?:s|min|h|d|w)$/, 'is a time such as 10min or 2h')
    .default('1min'),
  budget: z
    .string()
    .regex(/^[1-9]\d{0,3}\/[hdw]$/, 'is a number by h, d or w, such as 5/d')
    .optional(),
})

const budgetOf: Record<Tier, string> = { reflex: '24/d', cognition: '5/d', reasoning: '2/d' }

/** Reads one hook; an error is a sentence for the owner. Never throws. */
export function readHook(text: string): HookWords | { fault: string } {
  const [before = '', ...parts] = text.trim().split(/(?:^|\s):(do|tier|cooldown|budget)(?=\s|$)/)
  const [event = '', ...words] = before.trim().split(/\s+/)
  const names = parts.filter((_, at) => at % 2 === 0)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return { fault: `:${twice} is there twice` }
  const kind = eventKinds.find((known) => known === event.toLowerCase())
  if (kind === undefined) return { fault: `there is no event ${event.slice(0, 40)}` }
  const given = names.map((name, at) => [name, (parts[2 * at + 1] ?? '').trim()])
  const read = fields.safeParse(Object.fromEntries(given))
  if (!read.success) {
    const [issue] = read.error.issues
    const name = String(issue?.path[0] ?? 'do')
    return { fault: names.includes(name) ? `:${name} ${issue?.message}` : `:${name} is missing` }
  }
  return completed(kind, words.join(' '), read.data)
}

function completed(
  event: EventKind,
  condition: string,
  { do: sentence, tier, cooldown, budget = budgetOf[tier] }: z.infer<typeof fields>,
): HookWords | { fault: string } {
  const [, count = '', unit = 'min'] = /^(\d+)([a-z]+)$/.exec(cooldown) ?? []
  const [most = '1', per = 'd'] = budget.split('/')
  if (condition !== '' && !withNote.includes(event)) return { fault: `${event} has no condition` }
  try {
    return {
      event,
      query: condition === '' ? null : parseQuery(condition, dayNumber('2000-01-01')),
      sentence,
      tier,
      cooldownMs: Number(count) * unitMs[unit as keyof typeof unitMs],
      budget: { count: Number(most), windowMs: unitMs[per as keyof typeof unitMs] },
    }
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return { fault: `its condition cannot be read: ${error.message}` }
  }
}

/** The condition of a hook, for this day; null for none. Call it for hooks that could be read. */
export function conditionOf(text: string, today: DayNumber): Query | null {
  const [before = ''] = text.trim().split(/(?:^|\s):(?:do|tier|cooldown|budget)(?=\s|$)/)
  const condition = before.trim().replace(/^\S+\s*/, '')
  return condition === '' ? null : parseQuery(condition, today)
}

/** The hooks that a note's own text asks for, as they are written. */
export function hookTexts(
  note: Pick<Version, 'attributes' | 'content' | 'done' | 'commented' | 'tags' | 'type'>,
): string[] {
  const isGone = note.done || note.commented === true || note.tags.includes('ARCHIVE')
  if (isGone) return []
  const own = note.attributes.HOOK?.trim() ?? ''
  const isFile = note.type === 'file' && /^[ \t]*#\+hook:/im.test(note.content)
  const lines = isFile ? keywordsIn(note.content) : []
  return [...new Set([own, ...lines])].filter((text) => text !== '').slice(0, hooksMax)
}

const hooksMax = 50

function keywordsIn(content: string): string[] {
  const section = parse(content).children[0]
  if (section?.type !== 'section') return []
  return section.children.flatMap((element) =>
    element.type === 'keyword' && element.key === 'HOOK' ? [element.value.trim()] : [],
  )
}

/** Who brought these words into a note. */
function introducedBy(store: ObjectStore, note: MemoryObject, text: string): Authorship {
  let found: Authorship = note.authorship
  for (const change of store.history.changes(note.id).toReversed()) {
    if (change.hash === null) continue
    const version = store.history.version(change.hash)
    if (version === null && !isTrusted(change)) return change
    if (version !== null && !hasWords(version, text)) break
    found = change
  }
  return found
}

function hasWords(version: Version, text: string): boolean {
  return (version.attributes.HOOK ?? '').trim() === text || version.content.includes(text)
}

function isTrusted({ by, outside }: Authorship): boolean {
  return by === 'owner' && !outside
}

/** Whether the owner has brought these words into this note. */
export function isOwners(store: ObjectStore, note: MemoryObject, text: string): boolean {
  return isTrusted(introducedBy(store, note, text))
}

/** A hook in its place. */
export interface Hook {
  /** Eight digits, from its note and its words. */
  key: string
  note: MemoryObject
  text: string
  words: HookWords | { fault: string }
  /** Whether the owner brought it in. */
  isOwners: boolean
}

function hooksOf(store: ObjectStore, note: MemoryObject): Hook[] {
  return hookTexts(note).map((text) => {
    const key = textHash(`${note.id}\n${text}`).slice(0, 8)
    const read = readHook(text)
    const isHidden = note.private && !('fault' in read) && read.tier !== 'reflex'
    const words = isHidden ? { fault: 'a private note may only have reflexes' } : read
    return { key, note, text, words, isOwners: isOwners(store, note, text) }
  })
}

/** The hooks of a store, up to date whenever they are asked for. */
export class HookBook {
  readonly #store: ObjectStore
  readonly #byFile = new Map<string, Hook[]>()
  #seen: Snapshot['files'] | null = null

  constructor(store: ObjectStore) {
    this.#store = store
  }

  /** All of them, by file. */
  all(): Hook[] {
    const { files } = this.#store.snapshot()
    if (files !== this.#seen) {
      const paths = this.#seen?.changes(files) ?? this.#store.paths()
      for (const path of paths) this.#read(path, files)
      this.#seen = files
    }
    return [...this.#byFile.values()].flat()
  }

  #read(path: string, files: Snapshot['files']): void {
    const notes = [...(files.get(path)?.objects.values() ?? [])]
    const found = notes.flatMap((note) => hooksOf(this.#store, note))
    if (found.length === 0) this.#byFile.delete(path)
    else this.#byFile.set(path, found)
  }
}
