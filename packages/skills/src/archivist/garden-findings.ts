import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import {
  backlinks,
  commandName,
  duplicateIds,
  factsOf,
  formatMemoryProblem,
  isConflictCopy,
  isOrphan,
  type Memex,
  type MemoryObject,
  memoryProblems,
  type NoteFacts,
  textHash,
  versionHash,
} from '@passepartout/core'
import { isLeftover } from '@passepartout/gates/sandbox'
import { parse, walk } from 'org-ast'
import { readOrgStamp } from '../common/dates.ts'
import { brokenLinksOf, type Grounds } from './garden-links.ts'

/** What is found. */
type FindingKind =
  | 'link'
  | 'copy'
  | 'missing id'
  | 'duplicate id'
  | 'twin'
  | 'orphan'
  | 'stale'
  | 'old'
  | 'file'
  | 'unread'
  | 'integrity'

/** What would put it right; each kind is allowed, or not, by itself. */
export type Repair =
  | { kind: 'links'; note: string; from: string; to: string }
  | { kind: 'ids'; note: string; id: string | null }
  | { kind: 'archive'; note: string }

/** Something that is not as it should be. */
export interface Finding {
  /** Twelve digits, the same for the same finding. */
  key: string
  kind: FindingKind
  file: string
  line: number
  /** A sentence without a full stop. */
  what: string
  isPrivate: boolean
  /** Null where somebody has to judge. */
  repair: Repair | null
}

/** What counts as long ago, in days; 0 for never. */
interface Patience {
  stale: number
  archive: number
}

type Place = Pick<MemoryObject, 'file' | 'line' | 'private'>

function finding(
  kind: FindingKind,
  at: Place,
  what: string,
  repair: Repair | null = null,
): Finding {
  const { file, line, private: isPrivate } = at
  const name = JSON.stringify([kind, file, repair ?? what])
  return { key: textHash(name).slice(0, 12), kind, file, line, what, isPrivate, repair }
}

const dayMs = 86_400_000

function inNote(grounds: Grounds, note: MemoryObject, now: number, patience: Patience): Finding[] {
  const facts = factsOf(note)
  return [
    ...linkFindings(grounds, note),
    ...(note.type === 'headline' ? idFindings(grounds, note, facts) : []),
    ...(patience.stale > 0 && isStale(grounds, note, now - patience.stale * dayMs)
      ? [
          finding(
            'stale',
            note,
            `“${note.title}” is open, has no date, and was not touched for ${patience.stale} days`,
          ),
        ]
      : []),
    ...(patience.archive > 0 && isOld(grounds, note, now - patience.archive * dayMs)
      ? [
          finding('old', note, `“${note.title}” was done more than ${patience.archive} days ago`, {
            kind: 'archive',
            note: note.id,
          }),
        ]
      : []),
    ...(note.type === 'file' && isOrphan(grounds.indexes, facts)
      ? [finding('orphan', note, 'nothing links here, and nothing from here')]
      : []),
  ]
}

function linkFindings(grounds: Grounds, note: MemoryObject): Finding[] {
  const broken = brokenLinksOf(grounds, note)
  const lines = broken.length === 0 ? new Map<string, number>() : linesOfLinks(note)
  return broken.map(({ from, give, to }) => {
    const place = { ...note, line: lines.get(from) ?? note.line }
    if (give !== null) {
      const repair: Repair = { kind: 'ids', note: give.note.id, id: give.id }
      const what = `[[${from}]] is broken; “${give.note.title}” had this id`
      return finding('link', place, what, repair)
    }
    const repair: Repair | null = to === null ? null : { kind: 'links', note: note.id, from, to }
    const hint = to === null ? '' : `; it may be [[${to}]]`
    return finding('link', place, `[[${from}]] leads nowhere${hint}`, repair)
  })
}

/** For each link of a note, as it is written, the line in the file where it stands first. */
function linesOfLinks({ content, head, line }: MemoryObject): Map<string, number> {
  const text = head + content
  const lines = new Map<string, number>()
  walk(parse(text), (node) => {
    if (node.type !== 'link' || lines.has(node.rawLink)) return
    const before = text.slice(0, node.startOffset)
    lines.set(node.rawLink, line + before.split('\n').length - 1)
  })
  return lines
}

function idFindings({ indexes }: Grounds, note: MemoryObject, facts: NoteFacts): Finding[] {
  if ((note.attributes.ID ?? '').trim() !== '') return []
  const from = backlinks(indexes, facts).find(
    ({ file, private: isHidden }) => file !== note.file && !isHidden,
  )
  if (from === undefined) return []
  const id = uuidOf(`${note.id}\n${note.file}\n${note.title}`)
  const what = `“${note.title}” has no id, and ${from.file}:${from.line} links to its words`
  return [finding('missing id', note, what, { kind: 'ids', note: note.id, id })]
}

/** An id in the form of Emacs's, the same for the same words. */
function uuidOf(words: string): string {
  const digits = textHash(words)
  const variant = '89ab'[Number.parseInt(digits[16]!, 16) % 4]
  const parts = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
  ]
  return [...parts, digits.slice(20, 32)].join('-')
}

function isStale({ store }: Grounds, note: MemoryObject, since: number): boolean {
  const { deadline, done, scheduled, tags, todo } = note
  if (todo === null || done || scheduled !== null || deadline !== null) return false
  if (note.commented === true || tags.includes('ARCHIVE')) return false
  const last = store.history.changes(note.id).at(-1)
  return last !== undefined && last.at < since
}

function isOld({ store }: Grounds, note: MemoryObject, since: number): boolean {
  const closed = readOrgStamp(note.closed?.replace('[', '<').replace(']', '>') ?? null)
  if (!note.done || closed === null || note.private || note.tags.includes('ARCHIVE')) return false
  if (store.get(note.parent ?? '')?.done === true || note.file.endsWith('_archive')) return false
  return new Date(`${closed.day}T00:00`).getTime() < since && !hasOpen({ store }, note)
}

function hasOpen({ store }: Pick<Grounds, 'store'>, note: MemoryObject): boolean {
  return store
    .children(note.id)
    .some(
      (child) => (child.todo !== null && !child.done) || child.private || hasOpen({ store }, child),
    )
}

function integrityOf({ store }: Grounds, notes: readonly MemoryObject[]): Finding[] {
  const wrong = notes.filter((note) => {
    const children = store.children(note.id).map(({ hash }) => hash)
    return versionHash({ ...note, children }) !== note.hash
  })
  return wrong.map((note) =>
    finding('integrity', note, `its hash is not that of its text; say ${commandName} memory check`),
  )
}

function fileFindings({ memex, store }: Grounds & { memex: Memex }, note: MemoryObject): Finding[] {
  if (!/file:|attachment:|\[\[[.~/]/.test(note.head + note.content)) return []
  const found: Finding[] = []
  walk(parse(note.head + note.content), (node) => {
    if (node.type !== 'link' || /^\/[\w-]+:/.test(node.path)) return
    const isAttached = node.rawLink.startsWith('attachment:')
    if (!isAttached && (node.linkType !== 'file' || node.path.endsWith('.org'))) return
    const path = isAttached
      ? attachment({ store }, note, node.rawLink.slice(11).split('::')[0]!)
      : node.path
    if (path !== null && isOnDisk(memex.dir, note.file, path)) return
    const before = (note.head + note.content).slice(0, node.startOffset)
    const place = { ...note, line: note.line + before.split('\n').length - 1 }
    found.push(finding('file', place, `there is no file ${node.rawLink}`))
  })
  return found
}

function isOnDisk(dir: string, from: string, path: string): boolean {
  const home = process.env.HOME ?? ''
  const whole = path.startsWith('~/') ? join(home, path.slice(2)) : path
  return existsSync(whole.startsWith('/') ? whole : join(dir, posix.dirname(from), whole))
}

function attachment(
  { store }: Pick<Grounds, 'store'>,
  note: MemoryObject,
  name: string,
): string | null {
  for (let at: MemoryObject | null = note; at !== null; at = store.get(at.parent ?? '')) {
    const { ATTACH_DIR, DIR, ID } = at.attributes
    if (DIR ?? ATTACH_DIR) return posix.join(DIR ?? ATTACH_DIR ?? '', name)
    if (ID) return posix.join('data', ID.slice(0, 2), ID.slice(2), name)
  }
  return null
}

/** A conflict copy is a finding, and what is in it is none: it is all in the note as well. */
function conflictCopy([file]: readonly MemoryObject[]): Finding[] {
  if (file === undefined) return []
  const what =
    'a synchroniser or a merge has put this copy here; take over what the note does not have, and delete it'
  return [finding('copy', file, what)]
}

/** What is found in one file. */
export function findInFile(
  grounds: Grounds & { memex: Memex },
  path: string,
  now: number,
  patience: Patience,
): Finding[] {
  const notes = [...(grounds.store.snapshot().files.get(path)?.objects.values() ?? [])]
  if (isConflictCopy(path)) return conflictCopy(notes)
  return [
    ...integrityOf(grounds, notes),
    ...notes.flatMap((note) => [
      ...inNote(grounds, note, now, patience),
      ...fileFindings(grounds, note),
    ]),
  ]
}

function doubledIds({ store }: Grounds): Finding[] {
  return duplicateIds(store).flatMap(({ notes, written }) =>
    notes
      .filter(({ id }) => id !== written)
      .map((note) => {
        const what = `the id ${written} is another note’s, too`
        return finding('duplicate id', note, what, { kind: 'ids', note: note.id, id: null })
      }),
  )
}

const sketchMax = 16
const runLength = 4
const wordsMin = 40
const nearMin = 0.8

function runsOf({ content }: MemoryObject): Set<number> {
  const text = content.replace(/^[ \t]*:[\w-]+:.*$/gm, '')
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const runs = new Set<number>()
  if (words.length < wordsMin) return runs
  for (let at = 0; at + runLength <= words.length; at++) {
    let hash = 2_166_136_261
    for (const letter of words.slice(at, at + runLength).join(' ')) {
      hash = Math.imul(hash ^ letter.codePointAt(0)!, 16_777_619) >>> 0
    }
    runs.add(hash)
  }
  return runs
}

function likeness(one: ReadonlySet<number>, other: ReadonlySet<number>): number {
  const both = [...one].filter((run) => other.has(run)).length
  return both / (one.size + other.size - both)
}

const bucketMax = 64

/**
 * The pairs of notes that say nearly the same, the earlier one first; yields null for each note that
 * was looked at, so that whoever asks can rest in between.
 */
export function* twins(
  notes: readonly MemoryObject[],
): Generator<[MemoryObject, MemoryObject] | null, void> {
  const sketched = new Map<number, number[]>()
  for (const [at, note] of notes.entries()) {
    const own = runsOf(note)
    const shared = new Map<number, number>()
    for (const run of [...own].sort((a, b) => a - b).slice(0, sketchMax)) {
      const known = sketched.get(run) ?? []
      for (const other of known) shared.set(other, (shared.get(other) ?? 0) + 1)
      if (known.length === 0) sketched.set(run, known)
      if (known.length < bucketMax) known.push(at)
    }
    for (const [other, count] of shared) {
      const first = notes[other]!
      const isNear = count >= sketchMax / 2 && likeness(runsOf(first), own) >= nearMin
      if (isNear) yield [first, note]
    }
    yield null
  }
}

function lostAttachments({ memex, indexes }: Grounds & { memex: Memex }): Finding[] {
  const root = join(memex.dir, 'data')
  const below = (path: string) => namesIn(path).sort()
  return below(root)
    .filter((name) => /^[0-9a-f]{2}$/i.test(name))
    .flatMap((start) => below(join(root, start)).map((rest) => [start, rest] as const))
    .filter(
      ([start, rest]) =>
        indexes.having(`own:id:${start}${rest}`).size === 0 && indexes.get(start + rest) === null,
    )
    .map(([start, rest]) => {
      const place = { file: `data/${start}/${rest}`, line: 1, private: true }
      return finding('file', place, 'no note has this folder as its attachments')
    })
}

function leftovers({ memex, store }: Grounds & { memex: Memex }): Finding[] {
  const folders = new Set(store.paths().map((path) => posix.dirname(path)))
  return [...folders].sort().flatMap((folder) => {
    const names = namesIn(join(memex.dir, folder)).filter(isLeftover).sort()
    if (names.length === 0) return []
    const more = names.length === 1 ? '' : `, and ${names.length - 1} more like it`
    const place = { file: folder, line: 1, private: true }
    return finding('copy', place, `${names[0]} is what an editor or a merge has left${more}`)
  })
}

function namesIn(dir: string): string[] {
  return lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(dir) : []
}

function* findInAll(grounds: Grounds & { memex: Memex }): Generator<Finding | null, void> {
  const notes = grounds.store
    .query({ type: 'headline' })
    .filter(({ file, tags }) => !tags.includes('ARCHIVE') && !isConflictCopy(file))
  yield* doubledIds(grounds)
  for (const pair of twins(notes)) yield pair === null ? null : alike(pair)
  for (const problem of memoryProblems(grounds)) {
    const file = 'path' in problem ? problem.path : ''
    const place = { file, line: 1, private: true }
    if (problem.kind !== 'duplicate id')
      yield finding('unread', place, formatMemoryProblem(problem))
  }
  yield* lostAttachments(grounds)
  yield* leftovers(grounds)
}

function alike([one, other]: [MemoryObject, MemoryObject]): Finding {
  const isPrivate = one.private || other.private
  const what = `“${other.title}” says nearly what ${one.file}:${one.line} says`
  return finding('twin', { ...other, private: isPrivate }, what)
}

/** Everything that there is to be found; null after each step that has found nothing. */
export function* goRound(
  grounds: Grounds & { memex: Memex },
  now: number,
  patience: Patience,
): Generator<Finding | null, void> {
  for (const path of grounds.store.paths()) {
    yield* findInFile(grounds, path, now, patience)
    yield null
  }
  yield* findInAll(grounds)
}
