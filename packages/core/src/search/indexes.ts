import { PersistentMap } from '../base/persistent-map.ts'
import { isConflictCopy } from '../memory/conflict-copy.ts'
import { factsOf, type NoteFacts } from '../memory/facts.ts'
import { keyAlternatives, ownKeys } from '../memory/link-keys.ts'
import type { FileEntry, ObjectStore } from '../memory/store.ts'

/** Sets of notes by a word, with the empty ones left out. */
class Postings {
  readonly #sets = new Map<string, Set<NoteFacts>>()

  add(word: string, note: NoteFacts): void {
    const known = this.#sets.get(word)
    if (known === undefined) this.#sets.set(word, new Set([note]))
    else known.add(note)
  }

  remove(word: string, note: NoteFacts): void {
    const known = this.#sets.get(word)
    if (known?.delete(note) && known.size === 0) this.#sets.delete(word)
  }

  get(word: string): ReadonlySet<NoteFacts> {
    return this.#sets.get(word) ?? none
  }

  words(): string[] {
    return [...this.#sets.keys()]
  }
}

const none: ReadonlySet<NoteFacts> = new Set()

function wordsOf(note: NoteFacts): string[] {
  const { attributes, dates, diary, links } = note
  const words = [`type:${note.type}`, `file:${note.file}`, `parent:${note.parent ?? ''}`]
  for (const tag of note.tags) words.push(`tag:${tag}`)
  if (note.todo !== null) words.push(`todo:${note.todo}`, note.done ? 'is:done' : 'is:todo')
  if (note.priority !== null) words.push(`priority:${note.priority}`)
  for (const [name, value] of Object.entries(attributes)) {
    words.push(`property:${name}`, `property:${name}=${value}`)
  }
  if (dates.length > 0) words.push('is:dated')
  if (diary > 0) words.push('is:diary')
  if (links.length > 0) words.push('is:linking')
  if (note.private) words.push('is:private')
  if (note.commented) words.push('is:commented')
  if (note.by !== 'owner') words.push(`by:${note.by}`)
  if (note.outside) words.push('is:outside')
  words.push(`title:${note.title.trim().toLowerCase()}`)
  for (const { key } of links) words.push(`link:${key}`)
  for (const key of ownKeys(note)) words.push(`own:${key}`)
  return words
}

/** Which files an index has seen, and which it has yet to see. */
class Following {
  #seen: PersistentMap<FileEntry> = new PersistentMap()
  #aim: PersistentMap<FileEntry> = this.#seen
  #left: string[] = []

  /** Hands out the files that differ, for so many milliseconds; true when all are. */
  follow(
    files: PersistentMap<FileEntry>,
    milliseconds: number,
    put: (path: string, entry: FileEntry | undefined) => void,
  ): boolean {
    if (files !== this.#aim) this.#left = [...this.#seen.changes(files)].reverse()
    this.#aim = files
    const until = performance.now() + milliseconds
    for (let path = this.#left.pop(); path !== undefined; path = this.#left.pop()) {
      const entry = files.get(path)
      put(path, entry)
      this.#seen = entry === undefined ? this.#seen.without(path) : this.#seen.with(path, entry)
      if (this.#left.length > 0 && performance.now() > until) return false
    }
    return true
  }

  /** Whether there is nothing to hand out. */
  isAt(files: PersistentMap<FileEntry>): boolean {
    return files === this.#aim && this.#left.length === 0
  }
}

class NoteTable {
  readonly words = new Postings()
  readonly notes = new Map<string, NoteFacts>()
  readonly files = new Map<string, readonly NoteFacts[]>()
  #paths: string[] | null = null
  #dated: NoteFacts[] | null = null
  readonly #following = new Following()

  follow(files: PersistentMap<FileEntry>, milliseconds = Infinity): boolean {
    return this.#following.follow(files, milliseconds, (path, entry) => this.#put(path, entry))
  }

  #put(path: string, entry: FileEntry | undefined): void {
    const before = this.files.get(path) ?? []
    const after = entry === undefined ? [] : [...entry.objects.values()].map(factsOf)
    const [had, kept] = [new Set(before), new Set(after)]
    for (const note of before) if (!kept.has(note)) this.#drop(note)
    for (const note of after) if (!had.has(note)) this.#add(note)
    if (entry === undefined || !this.files.has(path)) this.#paths = null
    this.#dated = null
    if (entry === undefined) this.files.delete(path)
    else this.files.set(path, after)
  }

  #add(note: NoteFacts): void {
    this.notes.set(note.id, note)
    for (const word of wordsOf(note)) this.words.add(word, note)
  }

  #drop(note: NoteFacts): void {
    if (this.notes.get(note.id) === note) this.notes.delete(note.id)
    for (const word of wordsOf(note)) this.words.remove(word, note)
  }

  paths(): readonly string[] {
    this.#paths ??= [...this.files.keys()].sort()
    return this.#paths
  }

  dated(): readonly NoteFacts[] {
    this.#dated ??= this.paths().flatMap((path) =>
      this.files.get(path)!.filter(({ dates }) => dates.length > 0),
    )
    return this.#dated
  }
}

/** Everything that the store can be asked by. Up to date whenever it answers. */
export class Indexes {
  /** What they are the indexes of. */
  readonly store: ObjectStore
  readonly #table = new NoteTable()

  constructor(store: ObjectStore) {
    this.store = store
  }

  #now(): NoteTable {
    this.#table.follow(this.store.snapshot().files)
    return this.#table
  }

  /** The notes that have a word, such as `tag:home`. */
  having(word: string): ReadonlySet<NoteFacts> {
    return this.#now().words.get(word)
  }

  /** All words that begin so, without the beginning; such as all tags. */
  words(kind: string): string[] {
    const words = this.#now().words.words()
    const found = words.filter((word) => word.startsWith(kind))
    return found.map((word) => word.slice(kind.length)).sort()
  }

  /** The note of an id, or null. */
  get(id: string): NoteFacts | null {
    return this.#now().notes.get(id) ?? null
  }

  /** All notes: files in the order of their paths, headlines in the order of the text. */
  *notes(): Generator<NoteFacts> {
    const { files } = this.#now()
    for (const path of this.#table.paths()) yield* files.get(path)!
  }

  /** The paths of all files, sorted. */
  paths(): readonly string[] {
    return this.#now().paths()
  }

  /** The notes of a file, the file itself first. */
  inFile(path: string): readonly NoteFacts[] {
    return this.#now().files.get(path) ?? []
  }

  /** The notes with dates, in their order, as the agenda wants them. */
  dated(): readonly NoteFacts[] {
    return this.#now().dated()
  }

  /** Indexes for so many milliseconds what is not indexed yet; true when all is done. */
  catchUp(milliseconds: number): boolean {
    return this.#table.follow(this.store.snapshot().files, milliseconds)
  }
}

/** The note that a key leads to, or null for a broken link. */
export function linkTarget(indexes: Indexes, key: string): NoteFacts | null {
  for (const alternative of keyAlternatives(key)) {
    const owners = [...indexes.having(`own:${alternative}`)].filter(
      ({ file }) => !(alternative.startsWith('id:') && isConflictCopy(file)),
    )
    if (owners.length > 0) return owners.sort(byPlace)[0]!
  }
  return null
}

/** The notes that link to this one, without itself, in their order. */
export function backlinks(indexes: Indexes, note: NoteFacts): NoteFacts[] {
  const found = new Set<NoteFacts>()
  for (const key of ownKeys(note)) {
    for (const spelling of spellings(key)) {
      const linking = indexes.having(`link:${spelling}`)
      if (linking.size === 0 || linkTarget(indexes, spelling) !== note) continue
      for (const other of linking) if (other !== note) found.add(other)
    }
  }
  return [...found].sort(byPlace)
}

/** The notes that this one links to, without itself. */
export function linksFrom(indexes: Indexes, note: NoteFacts): NoteFacts[] {
  const found = new Set(note.links.map(({ key }) => linkTarget(indexes, key)))
  return [...found].filter((target) => target !== null && target !== note) as NoteFacts[]
}

/** The links of a note that lead nowhere in the memex, as they are written. */
export function brokenLinks(indexes: Indexes, note: NoteFacts): string[] {
  return note.links.filter(({ key }) => linkTarget(indexes, key) === null).map(({ raw }) => raw)
}

/** A headline may be linked to with a star before it and without. */
function spellings(key: string): string[] {
  if (!key.startsWith('head:')) return [key]
  const star = key.lastIndexOf('.org*') + 4
  return [key, `name:${key.slice(5, star)} ${key.slice(star + 1)}`]
}

/** Sorts notes by file and line. */
export function byPlace(one: NoteFacts, other: NoteFacts): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1
  return one.line - other.line || one.level - other.level
}

/** Whether nothing in a note, or in all of a file, links to another file or note, or is linked to. */
export function isOrphan(indexes: Indexes, note: NoteFacts): boolean {
  const inside = note.type === 'file' ? indexes.inFile(note.file) : [note]
  const isOutside = (other: NoteFacts) =>
    note.type === 'file' ? other.file !== note.file : other !== note
  return !inside.some(
    (part) => linksFrom(indexes, part).some(isOutside) || backlinks(indexes, part).some(isOutside),
  )
}
