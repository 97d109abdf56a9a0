import type { MemoryObject } from '../memory/memory-object.ts'
import { type Sight, sightOf } from '../memory/private-view.ts'
import type { FileEntry, ObjectStore, Snapshot } from '../memory/store.ts'
import { NearTerms } from './fuzzy-terms.ts'
import { isIn, isStopWord, type Language, languageOf, writtenLanguage } from './language.ts'
import { fieldsOf, letterMark, letterMarks, linkedIds, markOf } from './note-fields.ts'
import { LexicalIndex } from './postings.ts'
import { termOf } from './terms.ts'

function languageOfFile(entry: FileEntry): Language {
  const [file, ...notes] = entry.objects.values()
  const named = /^[ \t]*#\+language:[ \t]*(\S.*)$/im.exec(file?.content ?? '')?.[1]
  const written = named === undefined ? null : writtenLanguage(named)
  if (written !== null) return written
  const texts = notes.slice(0, 50).map(({ title, content }) => `${title}\n${content.slice(0, 400)}`)
  return languageOf([file?.content.slice(0, 400) ?? '', ...texts].join('\n')) ?? 'en'
}

function languageOfNote({ attributes, content }: MemoryObject, around: Language): Language {
  const written = writtenLanguage(attributes.EXPORT_LANGUAGE ?? '')
  if (written !== null || content.length < ownLanguageMin) return written ?? around
  return isIn(content, around) ? around : (languageOf(content) ?? around)
}

const ownLanguageMin = 120

/** What was indexed of a note. */
interface Indexed {
  object: MemoryObject
  above: readonly string[]
  around: Language
  language: Language
}

function isSame(old: Indexed, { object, above, around }: Omit<Indexed, 'language'>): boolean {
  const { head, content, tags } = old.object
  if (head !== object.head || content !== object.content) return false
  if (old.object.private !== object.private || old.around !== around) return false
  return isSameList(tags, object.tags) && isSameList(old.above, above)
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at])
}

class LanguageCount {
  readonly #counts = new Map<Language, number>()

  add(language: Language, count: number): void {
    this.#counts.set(language, (this.#counts.get(language) ?? 0) + count)
  }

  /** Those that some note has, the commonest first. */
  names(): Language[] {
    const counted = [...this.#counts].filter(([, count]) => count > 0)
    return counted.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name)
  }
}

/** What is known of the words of all notes. */
export class NoteIndex {
  /** What is not private, and what is. */
  readonly open: LexicalIndex = new LexicalIndex()
  readonly closed: LexicalIndex = new LexicalIndex()
  /** What is nearly the same, in each of them. */
  readonly near: ReadonlyMap<LexicalIndex, NearTerms> = new Map(
    [this.open, this.closed].map((part) => [part, new NearTerms()]),
  )
  readonly #files = new Map<string, Map<string, Indexed>>()
  readonly #unread = new Set<string>()
  readonly languages: LanguageCount = new LanguageCount()
  #moment: Snapshot | null = null
  #sight: Sight | null = null

  /** Reads what has changed, for so many milliseconds; true when all is read. */
  follow(moment: Snapshot, sight: Sight, milliseconds: number = Infinity): boolean {
    const isOld = this.#sight === sight
    const changed = isOld ? this.#moment?.files.changes(moment.files) : undefined
    const gone = isOld ? [] : [...this.#files.keys()].filter((path) => !moment.files.get(path))
    for (const path of gone) this.#leave(path, undefined)
    for (const path of changed ?? [...moment.files].map(([name]) => name)) {
      this.#leave(path, moment.files.get(path))
      this.#unread.add(path)
    }
    ;[this.#moment, this.#sight] = [moment, sight]
    const until = performance.now() + milliseconds
    for (const path of this.#unread) {
      this.#unread.delete(path)
      this.#enter(path, moment.files.get(path))
      if (performance.now() > until) break
    }
    return this.#unread.size === 0
  }

  #leave(path: string, entry: FileEntry | undefined): void {
    const known = this.#files.get(path) ?? new Map<string, Indexed>()
    for (const [id, { language }] of known) {
      if (entry?.objects.has(id)) continue
      for (const part of [this.open, this.closed]) part.remove(id)
      this.languages.add(language, -1)
      known.delete(id)
    }
    if (entry === undefined) this.#files.delete(path)
  }

  #enter(path: string, entry: FileEntry | undefined): void {
    if (entry === undefined) return
    const around = languageOfFile(entry)
    const known = this.#files.get(path) ?? new Map<string, Indexed>()
    const titles = new Map<string, string[]>()
    for (const given of entry.objects.values()) {
      const object = given.private ? given : this.#sight!.shown(given)
      const above = titles.get(object.parent ?? '') ?? []
      titles.set(object.id, [...above, object.title])
      const old = known.get(object.id)
      const now = { object, above, around }
      if (old !== undefined && isSame(old, now)) continue
      if (old !== undefined) this.languages.add(old.language, -1)
      known.set(object.id, { ...now, language: addNote(this, now) })
    }
    this.#files.set(path, known)
  }
}

function addNote(
  { closed, languages, open }: NoteIndex,
  { object, above, around }: Omit<Indexed, 'language'>,
): Language {
  const language = languageOfNote(object, around)
  const [part, other] = object.private ? [closed, open] : [open, closed]
  other.remove(object.id)
  const marks = [...linkedIds(object).map(markOf), ...letterMarks(object, above, language)]
  part.add(object.id, fieldsOf(object, above, language), marks)
  languages.add(language, 1)
  return language
}

const indexes = new WeakMap<ObjectStore, NoteIndex>()

/** The index of a store, up to date. */
export function noteIndexOf(store: ObjectStore): NoteIndex {
  const index = indexes.get(store) ?? new NoteIndex()
  indexes.set(store, index)
  index.follow(store.snapshot(), sightOf(store))
  return index
}

/** Reads notes for so many milliseconds; true when all are read. */
export function catchUpNotes(store: ObjectStore, milliseconds: number): boolean {
  const index = indexes.get(store) ?? new NoteIndex()
  indexes.set(store, index)
  return index.follow(store.snapshot(), sightOf(store), milliseconds)
}

const momentMs = 50

/** The index of a store, up to date; null when it would have to be made. */
export function readNoteIndexOf(store: ObjectStore): NoteIndex | null {
  const index = indexes.get(store)
  return index?.follow(store.snapshot(), sightOf(store), momentMs) === true ? index : null
}

/** The ids of all notes that can have this word, and perhaps of others; null when it may be in any. */
export function notesWith(
  { open, closed, languages }: NoteIndex,
  word: string,
): Set<string> | null {
  const names = languages.names()
  if (names.some((language) => isStopWord(word, language))) return null
  const terms = names.map((language) => termOf(word, language))
  const found = new Set<string>()
  for (const part of [open, closed]) {
    for (const term of new Set([...terms, ...terms.map(letterMark), letterMark('')])) {
      part.each(term, (document) => found.add(part.documents.keyOf(document)!))
    }
  }
  return found
}

/** An index of these notes, each with the titles above it. */
export function indexOfNotes(
  notes: readonly { object: MemoryObject; above: readonly string[] }[],
): LexicalIndex {
  const index = new LexicalIndex()
  for (const { object, above } of notes) {
    index.add(object.id, fieldsOf(object, above, languageOfNote(object, 'en')))
  }
  return index
}
