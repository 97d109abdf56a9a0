import type { MemoryObject } from '../memory/memory-object.ts'
import { sightOf } from '../memory/private-view.ts'
import type { ObjectStore } from '../memory/store.ts'
import type { Embeddings } from './embeddings.ts'
import { isStopWord, type Language } from './language.ts'
import { explainDocument, rankDocuments, type TermGroup, type WordReason } from './lexical.ts'
import { linkedIds, markOf } from './note-fields.ts'
import { type NoteIndex, noteIndexOf } from './note-index.ts'
import type { LexicalIndex } from './postings.ts'
import { folded, termOf, termsOf, wordsOf } from './terms.ts'

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
type Source = 'words' | 'meaning' | 'links' | 'outline'

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
  const index = noteIndexOf(store)
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
