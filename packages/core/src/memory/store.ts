import type { Clock } from '../base/clock.ts'
import { PersistentMap } from '../base/persistent-map.ts'
import type { Provenance } from '../contract/signal.ts'
import { isConflictCopy, noteOfCopy } from './conflict-copy.ts'
import {
  type Authorship,
  authorshipAfter,
  byOwner,
  type Flaw,
  firstFlaw,
  History,
  textHash,
  type Version,
  versionHash,
} from './history.ts'
import type { MemoryObject } from './memory-object.ts'
import { Closings, privateTagsDefault, privateTagsIn } from './private-tags.ts'
import { fileId, fileObjects, isInPlace, keptOf, type ReadObject } from './read-file.ts'
import { type ReadFile, setupTexts, tagsWithSetup } from './setup-files.ts'
import { Quotations } from './taint.ts'

/** What to look for; all conditions must hold. */
interface ObjectQuery {
  type?: MemoryObject['type']
  file?: string
  todo?: string
  tag?: string
  /** Who wrote it last. */
  by?: Provenance
  /** Whether a part of it came from the web or a message. */
  outside?: boolean
  /** In title or content, without regard to case. */
  text?: string
}

/** What is known of one file. */
export interface FileEntry {
  /** In the order of the text, the file itself first. */
  readonly objects: ReadonlyMap<string, MemoryObject>
  readonly hash: string
}

/** A moment of the store; only for `restore` and `changes`. */
export interface Snapshot {
  readonly files: PersistentMap<FileEntry>
  readonly places: PersistentMap<string>
}

/** A note at two moments; null where it is not there. */
export interface NoteChange {
  id: string
  before: MemoryObject | null
  after: MemoryObject | null
}

const saysForeign = /^#\+PROVENANCE:[ \t]*(?:web|message)[ \t]*$/im

/** The current version of every object, and every version by hash. */
export class ObjectStore {
  #files = new PersistentMap<FileEntry>()
  #rooted: { files: PersistentMap<FileEntry>; hash: string } | null = null
  #places = new PersistentMap<string>()
  readonly #clock: Clock
  readonly #setup: (path: string) => ReadFile
  /** For each id that is taken, the files in which a note gave way for it. */
  readonly #waiting = new Map<string, Set<string>>()
  readonly #gone = new GoneFiles()
  /** The conflict copies by the notes that they are of; null until they are asked for. */
  #copies: Map<string, Set<string>> | null = null
  /** Every version there was. */
  readonly history: History = new History()
  /** The tags that make a note private, in small letters. */
  readonly privateTags: readonly string[]
  readonly #closings = new Closings()
  /** Null until the first version that may quote something. */
  #outside: Quotations | null = null

  constructor(
    clock: Clock = { now: () => new Date() },
    privateTags: readonly string[] = privateTagsDefault,
    setup: (path: string) => ReadFile = () => () => null,
  ) {
    this.#clock = clock
    this.#setup = setup
    this.privateTags = privateTags.map((tag) => tag.toLowerCase())
  }

  /** Reads a file's text into objects; an id that another file has already is derived anew. */
  ingestFile(path: string, text: string, by: Authorship = byOwner): void {
    const entry = this.#files.get(path)
    const present = entry?.objects
    if (text === '' && present !== undefined && present.size > 1) this.#gone.add(path, entry!)
    const isBlank = present === undefined || present.size === 1
    const before = isBlank ? this.#gone.comingBack(path, text, present) : present
    const taken = (id: string) => {
      const isTaken = (this.#places.get(id) ?? path) !== path
      if (isTaken) this.#waiting.set(id, (this.#waiting.get(id) ?? new Set()).add(path))
      return isTaken
    }
    const author = saysForeign.test(text) ? { ...by, outside: true } : by
    const objects = new Map<string, MemoryObject>()
    const setup = this.#setup(path)
    const tags = tagsWithSetup(text, setup)
    const privateTags = privateTagsIn([text, ...setupTexts(text, setup)], this.privateTags)
    const isClosed = this.#isCopyOfPrivate(path)
    const file = { path, text, tags, privateTags, isClosed }
    for (const read of fileObjects(file, taken, [...before.values()])) {
      const object = this.#settled(read, present?.get(read.id), author)
      this.#closings.see(present?.get(read.id) ?? null, object)
      objects.set(object.id, object)
      this.#places = this.#places.with(object.id, path)
    }
    const gone = [...(present?.keys() ?? [])].filter((id) => !objects.has(id))
    for (const id of gone) this.#closings.see(present?.get(id) ?? null, null)
    for (const id of gone) this.#forget(id, path)
    this.#files = this.#files.with(path, { objects, hash: objects.get(fileId(path))!.hash })
    this.#handOn(gone)
    for (const copy of this.#copiesOf(path)) {
      const entry = this.#files.get(copy)
      if (entry === undefined || isWholePrivate(copy, entry) === hasPrivate(objects)) continue
      this.ingestFile(copy, textOfFile(entry))
    }
  }

  #isCopyOfPrivate(path: string): boolean {
    const note = noteOfCopy(path)
    if (note === null) return false
    const copies = this.#copiesOf(note).add(path)
    this.#copies?.set(note, copies)
    const entry = this.#files.get(note)
    return entry !== undefined && hasPrivate(entry.objects)
  }

  /** The conflict copies of a note that the store has met. */
  #copiesOf(note: string): Set<string> {
    if (this.#copies === null) {
      this.#copies = new Map()
      for (const [path] of this.#files) {
        const of = noteOfCopy(path)
        if (of !== null) this.#copies.set(of, (this.#copies.get(of) ?? new Set()).add(path))
      }
    }
    return this.#copies.get(note) ?? new Set()
  }

  /** Reads those files again in which a note gave way for one of these ids. */
  #handOn(ids: Iterable<string>): void {
    for (const id of ids) {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      for (const path of waiting ?? []) {
        const entry = this.#files.get(path)
        if (entry !== undefined) this.ingestFile(path, textOfFile(entry))
      }
    }
  }

  #settled(read: ReadObject, old: MemoryObject | undefined, by: Authorship): MemoryObject {
    const { id, object, version } = read
    if (old?.hash === version.hash) {
      return isInPlace(old, object) ? old : { ...object, ...keptOf(old) }
    }
    this.history.keep(version)
    const changes = this.history.changes(id)
    const { hash } = version
    const last = changes.findLast((change) => change.hash !== null)
    const isOwn = old === undefined || old.head !== version.head || old.content !== version.content
    const now = isOwn ? this.#marked(by, version) : old.authorship
    const authorship = last?.hash === hash ? authorOf(last) : authorshipAfter(now, last ?? null)
    if (authorship.outside && isOwn) this.#outside?.add(version.head + version.content)
    this.history.record(id, { hash, ...authorship, at: this.#now(), file: object.file })
    const hashes = new Set([...changes.map((change) => change.hash), hash])
    hashes.delete(null)
    return Object.freeze({ ...object, version: hashes.size, authorship })
  }

  /** The authorship with the mark of what came from outside, when the version quotes it. */
  #marked(by: Authorship, { content, head }: Pick<Version, 'content' | 'head'>): Authorship {
    if (this.#outside === null) {
      this.#outside = new Quotations()
      for (const known of this.history.fromOutside()) this.#outside.add(known.head + known.content)
    }
    return !by.outside && this.#outside.isIn(head + content) ? { ...by, outside: true } : by
  }

  /** Remembers a text from the web or a message, by which notes that quote it are marked. */
  heard(text: string): void {
    this.#marked(byOwner, { head: '', content: '' })
    this.#outside?.add(text)
  }

  /** Whether a text quotes one that came from the web or a message. */
  quotesOutside(text: string): boolean {
    return this.#marked(byOwner, { head: '', content: text }).outside
  }

  #forget(id: string, file: string): void {
    this.#places = this.#places.without(id)
    this.history.record(id, { ...byOwner, hash: null, at: this.#now(), file })
  }

  #now(): number {
    return this.#clock.now().getTime()
  }

  /** How often a note that could be seen has become private since the store was made. */
  get closings(): number {
    return this.#closings.count
  }

  /** Forgets a file that is gone. Its objects stay in the history. */
  removeFile(path: string): void {
    const entry = this.#files.get(path)
    if (entry === undefined) return
    for (const object of entry.objects.values()) this.#closings.see(object, null)
    const ids = [...entry.objects.keys()]
    this.#gone.add(path, entry)
    for (const id of ids) this.#forget(id, path)
    this.#files = this.#files.without(path)
    this.#handOn(ids)
  }

  /** The current object of this id, or null. */
  get(id: string): MemoryObject | null {
    const file = this.#places.get(id)
    return (file === undefined ? undefined : this.#files.get(file)?.objects.get(id)) ?? null
  }

  /** All current objects: files in the order of their paths, headlines in the order of the text. */
  *objects(): Generator<MemoryObject> {
    for (const path of this.paths()) yield* this.#files.get(path)!.objects.values()
  }

  /** The paths of all files, sorted. */
  paths(): string[] {
    return [...this.#files].map(([path]) => path).sort()
  }

  /** The text of a file as it was read last; null for one that is not known. */
  textOf(path: string): string | null {
    const entry = this.#files.get(path)
    return entry === undefined ? null : textOfFile(entry)
  }

  /** The objects directly inside this one, in order; empty for an unknown id. */
  children(id: string): MemoryObject[] {
    return (this.get(id)?.children ?? []).flatMap((child) => this.get(child) ?? [])
  }

  /** The objects that meet all conditions. */
  query(query: ObjectQuery): MemoryObject[] {
    const text = query.text?.toLowerCase()
    return [...this.objects()].filter(
      (object) =>
        (query.type === undefined || object.type === query.type) &&
        (query.file === undefined || object.file === query.file) &&
        (query.todo === undefined || object.todo === query.todo) &&
        (query.tag === undefined || object.tags.includes(query.tag)) &&
        (query.by === undefined || object.authorship.by === query.by) &&
        (query.outside === undefined || object.authorship.outside === query.outside) &&
        (text === undefined || `${object.title}\n${object.content}`.toLowerCase().includes(text)),
    )
  }

  /** The hash over all files; equal for equal notes. */
  root(): string {
    if (this.#rooted?.files !== this.#files) {
      const files = this.paths().map((path) => [path, this.#files.get(path)!.hash])
      this.#rooted = { files: this.#files, hash: textHash(JSON.stringify(files)) }
    }
    return this.#rooted.hash
  }

  /** This moment, to come back to. Costs nothing. */
  snapshot(): Snapshot {
    return { files: this.#files, places: this.#places }
  }

  /** Goes back to a moment. The history keeps what came after it. */
  restore({ files, places }: Snapshot): void {
    this.#files = files
    this.#places = places
    this.#copies = null
  }
}

function hasPrivate(objects: ReadonlyMap<string, MemoryObject>): boolean {
  return [...objects.values()].some((object) => object.private)
}

function isWholePrivate(path: string, { objects }: FileEntry): boolean {
  return objects.get(fileId(path))?.private === true
}

function textOfFile({ objects }: FileEntry): string {
  return [...objects.values()].map(({ head, content }) => head + content).join('')
}

const goneMax = 256

class GoneFiles {
  readonly #byPath = new Map<string, FileEntry>()
  readonly #paths = new Map<string, string>()

  add(path: string, entry: FileEntry): void {
    this.#byPath.delete(path)
    this.#byPath.set(path, entry)
    this.#paths.set(textHash(textOfFile(entry)), path)
    const [oldest] = this.#byPath.keys()
    if (this.#byPath.size > goneMax) this.#drop(oldest!)
  }

  #drop(path: string): ReadonlyMap<string, MemoryObject> {
    const entry = this.#byPath.get(path)!
    this.#byPath.delete(path)
    this.#paths.delete(textHash(textOfFile(entry)))
    return entry.objects
  }

  /** The objects that the file of this path and text had; else what is there now. */
  comingBack(
    path: string,
    text: string,
    now: ReadonlyMap<string, MemoryObject> = new Map(),
  ): ReadonlyMap<string, MemoryObject> {
    if (this.#byPath.size === 0 || text === '' || isConflictCopy(path)) return now
    if (this.#byPath.has(path)) return this.#drop(path)
    const old = this.#paths.get(textHash(text))
    return old !== undefined && this.#byPath.has(old) ? this.#drop(old) : now
  }
}

function authorOf({ by, signal, outside }: Authorship): Authorship {
  return { by, signal, outside }
}

/** The notes that say something else in one moment than in another, by file and place. */
export function changesBetween(before: Snapshot, after: Snapshot): NoteChange[] {
  const ids = new Set<string>()
  for (const path of before.files.changes(after.files).sort()) {
    for (const { files } of [before, after]) {
      for (const id of files.get(path)?.objects.keys() ?? []) ids.add(id)
    }
  }
  const at = ({ files, places }: Snapshot, id: string) =>
    files.get(places.get(id) ?? '')?.objects.get(id) ?? null
  return [...ids]
    .map((id) => ({ id, before: at(before, id), after: at(after, id) }))
    .filter(({ before: old, after: now }) => old?.hash !== now?.hash)
}

/** The first object or version that is not what its hash says; null when all are. */
export function checkStore(store: ObjectStore): Flaw | null {
  for (const object of [...store.objects()].reverse()) {
    const children = store.children(object.id).map(({ hash }) => hash)
    const found = versionHash({ ...object, children })
    if (found !== object.hash) return { kind: 'changed', hash: object.hash, found }
  }
  const { files } = store.snapshot()
  return firstFlaw(
    store.history,
    store.paths().map((path) => files.get(path)!.hash),
  )
}

/** An id that is written in several notes, with all of them: each has an id of its own in the store. */
interface DuplicateId {
  written: string
  notes: MemoryObject[]
}

/** The ids that are written more than once, in the order of the files; conflict copies aside. */
export function duplicateIds(store: ObjectStore): DuplicateId[] {
  const notes = Map.groupBy(
    store
      .query({ type: 'headline' })
      .filter(({ file, written }) => written && !isConflictCopy(file)),
    ({ written }) => written!,
  )
  return [...notes]
    .filter(([, same]) => same.length > 1)
    .map(([written, same]) => ({ written, notes: same }))
}
