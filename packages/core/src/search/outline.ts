import { dirname, join } from 'node:path/posix'
import type { PersistentMap } from '../base/persistent-map.ts'
import type { MemoryObject } from '../memory/memory-object.ts'
import type { FileEntry, ObjectStore } from '../memory/store.ts'

interface Part {
  readonly notes: readonly MemoryObject[]
  readonly worths: Int16Array
  /** 0 for no day. */
  readonly days: Int32Array
  readonly links: ReadonlyMap<number, readonly string[]>
  readonly counts: Counts
}

/** How many notes there are. */
export interface Counts {
  files: number
  headlines: number
  open: number
}

const parts = new WeakMap<FileEntry, Part>()

/** What the outline needs of a file; made once for each version of it. */
export function partOf(entry: FileEntry): Part {
  const known = parts.get(entry)
  if (known !== undefined) return known
  const notes = [...entry.objects.values()].filter((object) => !object.private)
  const links = new Map<number, readonly string[]>()
  for (const [at, note] of notes.entries()) {
    const found = targetsOf(note)
    if (found.length > 0) links.set(at, found)
  }
  const made = {
    notes,
    links,
    worths: Int16Array.from(notes, ownWorth),
    days: Int32Array.from(notes, dayOf),
    counts: countsOf(notes),
  }
  parts.set(entry, made)
  return made
}

/** Counts notes by kind. */
export function countsOf(notes: readonly MemoryObject[]): Counts {
  const files = notes.filter(({ type }) => type === 'file').length
  const open = notes.filter(({ todo, done }) => todo !== null && !done).length
  return { files, headlines: notes.length - files, open }
}

const linkPattern = /\[\[([^[\]\n]+)\]/g

function targetsOf({ content, file, title }: MemoryObject): string[] {
  if (!content.includes('[[') && !title.includes('[[')) return []
  const found = `${title}\n${content}`.matchAll(linkPattern)
  return [...new Set([...found].flatMap(([, target]) => targetKey(target!, file) ?? []))]
}

function targetKey(target: string, file: string): string | null {
  const [, kind = '', rest = target] = /^(id|file):(.*)$/s.exec(target) ?? []
  const [path = ''] = rest.split('::')
  if (kind === 'id') return path
  if (kind === 'file' || /^\.{1,2}\//.test(target)) return `file:${join(dirname(file), path)}`
  return target.startsWith('*') ? `${file}${target}` : null
}

function ownWorth({ commented, done, level, priority, tags, todo }: MemoryObject): number {
  const state = todo === null ? 0 : done ? -20 : 40
  const rank = todo !== null && !done ? ({ A: 20, B: 5 }[priority ?? ''] ?? 0) : 0
  const isAway = commented === true || tags.includes('ARCHIVE')
  return 60 + state + rank + Math.max(0, 12 - 4 * level) - (isAway ? 40 : 0)
}

const dayPattern = /\d{4}-\d\d-\d\d/g

function dayOf({ closed, content, deadline, scheduled, title }: MemoryObject): number {
  const planned = [scheduled, deadline, closed].filter((stamp) => stamp !== null).join(' ')
  const days = (planned === '' ? `${title}\n${content}` : planned).match(dayPattern) ?? []
  return days.reduce((latest, day) => Math.max(latest, dayNumber(day) ?? 0), 0)
}

/** Days since 1970; null for a text that is no day. */
export function dayNumber(day: string): number | null {
  const ms = Date.parse(`${day.slice(0, 10)}T00:00:00Z`)
  return Number.isNaN(ms) ? null : Math.floor(ms / 86_400_000)
}

/** What a day adds, by its distance from today in either direction. */
function nearness(day: number, today: number): number {
  if (day === 0) return 0
  const distance = Math.abs(day - today)
  if (distance <= 1) return 60
  if (distance <= 7) return 45
  if (distance <= 30) return 30
  if (distance <= 120) return 15
  return distance <= 365 ? 8 : 0
}

/** The visible notes of a store with what they are worth. */
interface Outline {
  /** In the order of the store, without private ones. */
  readonly notes: readonly MemoryObject[]
  readonly counts: Counts
  /** What each is worth on this day, in the same order. */
  worths(today: number | null): Int16Array
  /** The place of a note in `notes`; -1 for one that is not there. */
  placeOf(note: MemoryObject): number
  readonly parts: ReadonlyMap<string, Part>
  /** For each target the files that link to it. */
  readonly linking: ReadonlyMap<string, ReadonlySet<string>>
  /** Room for the answer to one question, used again by the next. */
  room(): Room
}

interface Room {
  worths: Int16Array
  order: Uint32Array
}

interface Known {
  files: PersistentMap<FileEntry>
  /** Sorted. */
  paths: readonly string[]
  parts: Map<string, Part>
  linking: Map<string, Set<string>>
  outline: Outline
}

const outlines = new WeakMap<ObjectStore, Known>()

/** The outline of a store as it is now. */
export function outlineOf(store: ObjectStore): Outline {
  const { files } = store.snapshot()
  const known = outlines.get(store)
  if (known?.files === files) return known.outline
  const inFiles = known?.parts ?? new Map<string, Part>()
  const linking = known?.linking ?? new Map<string, Set<string>>()
  let hasPaths = known !== undefined
  for (const path of known?.files.changes(files) ?? [...files].map(([path]) => path)) {
    const entry = files.get(path)
    hasPaths &&= inFiles.has(path) === (entry !== undefined)
    unlink(linking, path, inFiles.get(path))
    if (entry === undefined) inFiles.delete(path)
    else inFiles.set(path, partOf(entry))
    link(linking, path, inFiles.get(path))
  }
  const paths = hasPaths ? known!.paths : [...inFiles.keys()].sort()
  const outline = joined(paths, inFiles, linking)
  outlines.set(store, { files, paths, parts: inFiles, linking, outline })
  return outline
}

function link(linking: Map<string, Set<string>>, path: string, part: Part | undefined): void {
  for (const target of [...(part?.links.values() ?? [])].flat()) {
    const known = linking.get(target)
    if (known === undefined) linking.set(target, new Set([path]))
    else known.add(path)
  }
}

function unlink(linking: Map<string, Set<string>>, path: string, part: Part | undefined): void {
  for (const target of [...(part?.links.values() ?? [])].flat()) linking.get(target)?.delete(path)
}

function joined(
  paths: readonly string[],
  inFiles: Map<string, Part>,
  linking: Map<string, Set<string>>,
): Outline {
  const sorted = paths.map((path) => inFiles.get(path)!)
  const notes: MemoryObject[] = []
  const begins = new Map<string, number>()
  const counts = { files: 0, headlines: 0, open: 0 }
  for (const [at, part] of sorted.entries()) {
    begins.set(paths[at]!, notes.length)
    for (const note of part.notes) notes.push(note)
    counts.files += part.counts.files
    counts.headlines += part.counts.headlines
    counts.open += part.counts.open
  }
  let last: { today: number | null; worths: Int16Array } | null = null
  const worths = (today: number | null) => {
    if (last === null || last.today !== today) last = { today, worths: worthsOn(sorted, today) }
    return last.worths
  }
  let room: Room | null = null
  const makeRoom = () => {
    room ??= { worths: new Int16Array(notes.length), order: new Uint32Array(notes.length) }
    return room
  }
  const placeOf = (note: MemoryObject) => {
    const at = inFiles.get(note.file)?.notes.indexOf(note) ?? -1
    return at === -1 ? -1 : begins.get(note.file)! + at
  }
  return { notes, counts, worths, placeOf, parts: inFiles, linking, room: makeRoom }
}

function worthsOn(sorted: readonly Part[], today: number | null): Int16Array {
  const worths = new Int16Array(sorted.reduce((sum, { notes }) => sum + notes.length, 0))
  let at = 0
  for (const part of sorted) {
    for (let index = 0; index < part.notes.length; index++, at++) {
      const near = today === null ? 0 : nearness(part.days[index]!, today)
      worths[at] = part.worths[index]! + near
    }
  }
  return worths
}

const fanMax = 100

/** The notes one and two links away from a note, with the number of links. */
export function linkDistances(
  store: ObjectStore,
  outline: Outline,
  focus: MemoryObject,
): Map<MemoryObject, number> {
  const found = new Map([[focus, 0]])
  let edge = [focus]
  for (const distance of [1, 2]) {
    const next: MemoryObject[] = []
    for (const note of edge) {
      const around = [...outwards(store, outline, note), ...inwards(outline, note)]
      if (around.length > fanMax && note !== focus) continue
      for (const other of around) {
        if (other.private || found.has(other)) continue
        found.set(other, distance)
        next.push(other)
      }
    }
    edge = next
  }
  found.delete(focus)
  return found
}

function outwards(store: ObjectStore, { parts: all }: Outline, note: MemoryObject): MemoryObject[] {
  const part = all.get(note.file)
  const targets = part?.links.get(part.notes.indexOf(note)) ?? []
  return targets.flatMap((target) => {
    const [, file, title] = /^(.*\.org)\*(.*)$/s.exec(target) ?? []
    if (title === undefined) return store.get(target) ?? []
    return all.get(file!)?.notes.find((other) => other.title === title.trim()) ?? []
  })
}

function inwards({ linking, parts: all }: Outline, note: MemoryObject): MemoryObject[] {
  return [note.id, `${note.file}*${note.title}`].flatMap((target) =>
    [...(linking.get(target) ?? [])].sort().flatMap((path) => {
      const part = all.get(path)!
      const places = [...part.links].filter(([, targets]) => targets.includes(target))
      return places.map(([at]) => part.notes[at]!)
    }),
  )
}

/** What is near in one question. */
interface Near {
  focus: MemoryObject | null
  /** By links. */
  distances: ReadonlyMap<MemoryObject, number>
  /** Notes that fit the question, the best first. */
  fitting: readonly MemoryObject[]
  today: number | null
}

const worthMax = 1_000

/**
 * The places of all notes, the most worthy first, and how many of them are near or urgent. The next
 * question to the same outline writes over them.
 */
export function worthOf(outline: Outline, near: Near): { order: Uint32Array; urgent: number } {
  const { worths, order } = outline.room()
  worths.set(outline.worths(near.today))
  const add = (note: MemoryObject, more: number) => {
    const at = outline.placeOf(note)
    if (at !== -1) worths[at] = worths[at]! + more
  }
  for (const [note, distance] of near.distances) add(note, distance === 1 ? 120 : 60)
  for (const [rank, note] of near.fitting.slice(0, 60).entries()) add(note, 160 - 2 * rank)
  if (near.focus !== null) {
    for (const note of outline.parts.get(near.focus.file)?.notes ?? []) {
      add(note, note.parent === near.focus.parent ? 70 : 50)
    }
  }
  return { order, urgent: byCounting(worths, order) }
}

const urgentMin = 150

/** Fills in the order; returns how many are near or urgent. */
function byCounting(worths: Int16Array, order: Uint32Array): number {
  const begins = new Uint32Array(worthMax + 1)
  const slot = (worth: number) => worthMax - 1 - Math.min(worthMax - 1, Math.max(0, worth))
  for (let at = 0; at < worths.length; at++) begins[slot(worths[at]!) + 1]!++
  for (let at = 1; at <= worthMax; at++) begins[at]! += begins[at - 1]!
  const urgent = begins[slot(urgentMin) + 1]!
  for (let at = 0; at < worths.length; at++) order[begins[slot(worths[at]!)]!++] = at
  return urgent
}
