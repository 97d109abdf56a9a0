import type { MemoryObject } from '../memory/memory-object.ts'
import { type Sight, sightOf } from '../memory/private-view.ts'
import type { FileEntry, ObjectStore, Snapshot } from '../memory/store.ts'
import type { Embeddings } from './embeddings.ts'
import { NearTerms } from './fuzzy-terms.ts'
import { isIn, isStopWord, type Language, languageOf, writtenLanguage } from './language.ts'
import { explainDocument, rankDocuments, type TermGroup, type WordReason } from './lexical.ts'
import { fieldsOf, linkedIds, markOf } from './note-fields.ts'
import { LexicalIndex } from './postings.ts'
import { folded, termOf, termsOf, wordsOf } from './terms.ts'

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

class NoteIndex {
  /** What is not private, and what is. */
  readonly open = new LexicalIndex()
  readonly closed = new LexicalIndex()
  /** What is nearly the same, in each of them. */
  readonly near = new Map([this.open, this.closed].map((part) => [part, new NearTerms()]))
  readonly #files = new Map<string, Map<string, Indexed>>()
  readonly #unread = new Set<string>()
  readonly languages = new LanguageCount()
  #moment: Snapshot | null = null
  #sight: Sight | null = null

  /** Reads what has changed, for so many milliseconds; true when all is read. */
  follow(moment: Snapshot, sight: Sight, milliseconds = Infinity): boolean {
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
      known.set(object.id, { ...now, language: this.#add(now) })
    }
    this.#files.set(path, known)
  }

  #add({ object, above, around }: Omit<Indexed, 'language'>): Language {
    const language = languageOfNote(object, around)
    const [part, other] = object.private ? [this.closed, this.open] : [this.open, this.closed]
    other.remove(object.id)
    part.add(object.id, fieldsOf(object, above, language), linkedIds(object).map(markOf))
    this.languages.add(language, 1)
    return language
  }
}

const indexes = new WeakMap<ObjectStore, NoteIndex>()

function indexOf(store: ObjectStore): NoteIndex {
  const index = indexes.get(store) ?? new NoteIndex()
  indexes.set(store, index)
  index.follow(store.snapshot(), sightOf(store))
  return index
}

/** Reads notes for so many milliseconds; true when all are read. */
export function catchUpRetrieval(store: ObjectStore, milliseconds: number): boolean {
  const index = indexes.get(store) ?? new NoteIndex()
  indexes.set(store, index)
  return index.follow(store.snapshot(), sightOf(store), milliseconds)
}

function languageOfQuery(words: readonly string[], languages: readonly Language[]): Language {
  const votes = languages.map(
    (language) => words.filter((word) => isStopWord(word, language)).length,
  )
  return languages[votes.indexOf(Math.max(...votes))] ?? 'en'
}

/** The words that are looked for, with the terms under which they may be. */
function groupsOf(query: string, languages: readonly Language[]): TermGroup[] {
  const words = wordsOf(query.slice(0, queryMax)).map((word) =>
    word.toLowerCase().replace('’', "'"),
  )
  const spoken = languageOfQuery(words, languages)
  const telling = words.filter((word) => !isStopWord(word, spoken))
  const groups = new Map<string, TermGroup>()
  const add = (word: string, terms: Iterable<string>) => {
    const variants = [...new Set(terms)].filter(Boolean).map((term) => ({ term, weight: 1 }))
    const known = variants[0]?.term ?? ''
    if (known !== '' && !groups.has(known)) groups.set(known, { word, variants })
  }
  if (telling.length === 0) for (const word of words) add(word, [folded(word)])
  for (const word of telling) {
    const terms = termsOf(word, spoken)
    if (terms.length > 1) for (const term of terms) add(term, [term])
    else
      add(
        word,
        [spoken, ...languages].map((language) => termOf(word, language)),
      )
  }
  for (const term of termsOf(query.slice(0, queryMax), spoken)) add(term, [term])
  return [...groups.values()].slice(0, wordsMax)
}

const queryMax = 2_000
const wordsMax = 48

function withNear(index: NoteIndex, parts: readonly LexicalIndex[], group: TermGroup): TermGroup {
  const isThere = group.variants.some(({ term }) => parts.some((part) => hasTerm(part, term)))
  const word = group.variants[0]?.term ?? ''
  if (isThere || word === '') return group
  const variants = new Map<string, number>()
  for (const part of parts) {
    for (const { term, weight } of index.near.get(part)!.find(part.terms, word))
      variants.set(term, weight)
  }
  return { ...group, variants: [...variants].map(([term, weight]) => ({ term, weight })) }
}

function hasTerm(part: LexicalIndex, term: string): boolean {
  const pairs = part.pairs(term)
  for (let at = 0; at < pairs.length; at += 2) {
    if (part.documents.alive[pairs[at]!] === 1) return true
  }
  return false
}

const seedsMax = 8

function linkedList(
  store: ObjectStore,
  parts: readonly LexicalIndex[],
  first: readonly string[],
): string[] {
  const weights = new Map<string, number>()
  for (const [rank, id] of first.slice(0, seedsMax).entries()) {
    const object = store.get(id)
    if (object === null) continue
    const linked = new Set([...linkedIds(object), ...linkingIds(parts, id)])
    for (const other of linked) {
      weights.set(other, (weights.get(other) ?? 0) + 1 / ((rank + 2) * Math.sqrt(linked.size)))
    }
  }
  return [...weights].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([id]) => id)
}

function linkingIds(parts: readonly LexicalIndex[], id: string): string[] {
  const found: string[] = []
  for (const part of parts) {
    part.each(markOf(id), (document) => found.push(part.documents.keyOf(document)!))
  }
  return found
}

function nearList(store: ObjectStore, focus: string, found: readonly string[]): string[] {
  const depths = new Map(pathTo(store, focus).map((id, steps) => [id, steps]))
  const distance = (id: string) => {
    const path = pathTo(store, id)
    const steps = path.findIndex((step) => depths.has(step))
    return steps === -1 ? Infinity : steps + depths.get(path[steps]!)!
  }
  return found
    .map((id) => ({ id, steps: distance(id) }))
    .filter(({ steps }) => steps < Infinity)
    .sort((a, b) => a.steps - b.steps)
    .map(({ id }) => id)
}

/** The note and what is above it, from below. */
function pathTo(store: ObjectStore, id: string): string[] {
  const path: string[] = []
  for (let at = store.get(id); at !== null; at = at.parent === null ? null : store.get(at.parent)) {
    path.push(at.id)
  }
  return path
}

/** Where a hit can come from. */
export type Source = 'words' | 'meaning' | 'links' | 'outline'

/** A note that fits. */
export interface Hit {
  object: MemoryObject
  /** Comparable within one answer only. */
  score: number
  /** The 1-based rank in each list that has it. */
  ranks: Partial<Record<Source, number>>
  /** What each word of the question did; only when reasons were asked for. */
  words?: WordReason[]
}

/** What is wanted, and what may be seen. */
export interface RetrieveOptions {
  /** The most hits; 10 by default. */
  limit?: number
  /** `owner` sees everything; `open`, which is the default, nothing private. */
  privacy?: 'open' | 'owner'
  /** Which notes count at all, such as those of a scope; all by default. */
  within?: (object: MemoryObject) => boolean
  /** The note at which the asker is. */
  focus?: string | null
  /** Ids by similarity of meaning, the best first. */
  similar?: readonly string[]
  /** How much that is worth beside the words, from 0 to 1; 1 by default. */
  trust?: number
  /** With the reasons of each word. */
  explain?: boolean
}

const weights: Record<Source, number> = { words: 1, meaning: 1, links: 0.2, outline: 0.2 }
const rankOffset = 10
const listMax = 100

/** The notes that fit the question best, the best first. Never throws. */
export function retrieve(store: ObjectStore, query: string, options: RetrieveOptions = {}): Hit[] {
  return together(store, byWords(store, query, options), options)
}

/** What the words of a question say, by themselves. */
interface ByWords {
  parts: readonly LexicalIndex[]
  groups: readonly TermGroup[]
  /** The notes with the words, the best first. */
  words: readonly string[]
}

function byWords(store: ObjectStore, query: string, options: RetrieveOptions): ByWords {
  const { limit = 10, privacy = 'open', within } = options
  const index = indexOf(store)
  const parts = privacy === 'owner' ? [index.open, index.closed] : [index.open]
  const groups = groupsOf(query, index.languages.names()).map((group) =>
    withNear(index, parts, group),
  )
  const wanted = within === undefined ? null : (id: string) => maySee(store.get(id), options)
  const found = rankDocuments(parts, groups, Math.max(listMax, limit), wanted)
  return { parts, groups, words: inPlace(store, found) }
}

function together(store: ObjectStore, found: ByWords, options: RetrieveOptions): Hit[] {
  const { parts, groups, words } = found
  const { limit = 10, privacy = 'open', focus = null, similar = [] } = options
  const lists: Partial<Record<Source, readonly string[]>> = {
    words,
    meaning: similar,
    links: linkedList(store, parts, words),
  }
  if (focus !== null) lists.outline = nearList(store, focus, words.slice(0, listMax))
  const all = fused(store, lists, options)
  const hits = all.slice(0, limit).map((hit) => asShown(store, hit, privacy))
  if (options.explain !== true) return hits
  return hits.map((hit) => ({ ...hit, words: explainDocument(parts, groups, hit.object.id) }))
}

function asShown(store: ObjectStore, hit: Hit, privacy: 'open' | 'owner'): Hit {
  return privacy === 'owner' ? hit : { ...hit, object: sightOf(store).shown(hit.object) }
}

function maySee(object: MemoryObject | null, { privacy, within }: RetrieveOptions): boolean {
  if (object === null || (object.private && privacy !== 'owner')) return false
  return within?.(object) ?? true
}

function inPlace(store: ObjectStore, found: readonly { key: string; score: number }[]): string[] {
  const placed = found.map(({ key, score }) => ({ score, object: store.get(key)! }))
  return placed.sort((a, b) => b.score - a.score || byPlace(a, b)).map(({ object }) => object.id)
}

function byPlace(a: { object: MemoryObject }, b: { object: MemoryObject }): number {
  if (a.object.file !== b.object.file) return a.object.file < b.object.file ? -1 : 1
  return a.object.begin - b.object.begin || a.object.level - b.object.level
}

function fused(
  store: ObjectStore,
  lists: Partial<Record<Source, readonly string[]>>,
  options: RetrieveOptions,
): Hit[] {
  const { limit = 10, trust = 1 } = options
  const hits = new Map<string, Hit | null>()
  const hitOf = (id: string): Hit | null => {
    const object = store.get(id)
    const hit = maySee(object, options) ? { object: object!, score: 0, ranks: {} } : null
    hits.set(id, hit)
    return hit
  }
  for (const [source, ids] of Object.entries(lists) as [Source, readonly string[]][]) {
    const weight = weights[source] * (source === 'meaning' ? trust : 1)
    let rank = 0
    for (const id of ids) {
      const known = hits.get(id)
      const hit = known === undefined ? hitOf(id) : known
      if (hit === null) continue
      rank++
      hit.score += weight / (rankOffset + rank)
      hit.ranks[source] = rank
      if (rank >= Math.max(listMax, limit)) break
    }
  }
  const seen = [...hits.values()].filter((hit) => hit !== null)
  return seen.sort((a, b) => b.score - a.score || byPlace(a, b))
}

/** Like `retrieve`, with what is near in meaning when there are embeddings. Never rejects. */
export async function retrieveHybrid(
  store: ObjectStore,
  embeddings: Pick<Embeddings, 'similar' | 'trust'> | null,
  query: string,
  options: RetrieveOptions = {},
): Promise<Hit[]> {
  if (embeddings === null) return retrieve(store, query, options)
  const { privacy = 'open', within } = options
  const { files } = store.snapshot()
  const found = byWords(store, query, options)
  const first = together(store, found, { ...options, limit: 3, explain: false })
  const similar = await embeddings.similar(query, {
    limit: listMax,
    privacy,
    instead: first.map(({ object }) => object.id),
    ...(within === undefined ? {} : { within }),
  })
  const isSame = store.snapshot().files === files
  const now = isSame ? found : byWords(store, query, options)
  return together(store, now, { ...options, similar, trust: embeddings.trust })
}
