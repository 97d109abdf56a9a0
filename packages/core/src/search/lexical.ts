/** The parts of a note that are counted apart. */
export const fields = ['title', 'tags', 'properties', 'path', 'body'] as const

/** One of them. */
export type Field = (typeof fields)[number]

/** The terms of a document, with repetitions. */
export type FieldTerms = Record<Field, readonly string[]>

interface FieldLayout {
  weight: number
  /** How much a field's length counts, from 0 to 1. */
  b: number
  shift: number
  countMax: number
}

const layouts: readonly FieldLayout[] = [
  { weight: 3, b: 0.4, shift: 0, countMax: 31 },
  { weight: 1.5, b: 0.2, shift: 5, countMax: 15 },
  { weight: 1, b: 0.5, shift: 9, countMax: 63 },
  { weight: 0.5, b: 0.4, shift: 15, countMax: 31 },
  { weight: 1, b: 0.7, shift: 20, countMax: 4_095 },
]

/** How fast a count is damped. */
const k1 = 1.2

const blockHead = 3
const entriesMax = 1_024

/** The documents of each term, with a packed count each. */
class Postings {
  #cells: Ints = new Int32Array(1 << 12)
  /** Of `#cells`; zero is no place, so that it can stand for none. */
  #used = 1
  #first: Ints = new Int32Array(1 << 8)
  #last: Ints = new Int32Array(1 << 8)
  #pairs: Ints = new Int32Array(1 << 8)

  /** Adds a document to a term's list. */
  add(term: number, document: number, packed: number): void {
    if (term >= this.#first.length) {
      this.#first = grown(this.#first, term + 1)
      this.#last = grown(this.#last, term + 1)
    }
    let block = this.#last[term]!
    if (block === 0 || this.#cells[block + 1] === this.#cells[block + 2]) {
      block = this.#block(term, block)
    }
    const at = block + blockHead + 2 * this.#cells[block + 2]!
    this.#cells[at] = document
    this.#cells[at + 1] = packed
    this.#cells[block + 2]!++
  }

  #block(term: number, before: number): number {
    const capacity = before === 0 ? 1 : Math.min(entriesMax, 2 * this.#cells[before + 1]!)
    const block = this.#used
    this.#used += blockHead + 2 * capacity
    this.#cells = grown(this.#cells, this.#used)
    this.#cells[block + 1] = capacity
    if (before === 0) this.#first[term] = block
    else this.#cells[before] = block
    this.#last[term] = block
    return block
  }

  /** The pairs of a term, one number after the other, in the order in which they came; until the next call. */
  read(term: number): Int32Array {
    const cells: Int32Array = this.#cells
    let size = 0
    for (let block = this.#first[term] ?? 0; block !== 0; block = cells[block]!) {
      const begin = block + blockHead
      const length = 2 * cells[block + 2]!
      this.#pairs = grown(this.#pairs, size + length)
      this.#pairs.set(cells.subarray(begin, begin + length), size)
      size += length
    }
    return this.#pairs.subarray(0, size)
  }
}

type Ints = Int32Array<ArrayBuffer>

/** The same array, or a longer one with the same beginning, so that `length` fits. */
function grown(array: Ints, length: number): Ints {
  if (length <= array.length) return array
  const larger = new Int32Array(Math.max(length, Math.ceil(array.length * 1.5)))
  larger.set(array)
  return larger
}

/** Which documents there are, and how long their fields. */
class Documents {
  #keys: (string | null)[] = []
  readonly #numbers = new Map<string, number>()
  /** Of the fields, one document after the other. */
  lengths: Ints = new Int32Array(1 << 8)
  /** For each number 1 when there is such a document. */
  alive: Ints = new Int32Array(1 << 8)
  readonly #sums = new Float64Array(fields.length)

  get size(): number {
    return this.#numbers.size
  }

  get end(): number {
    return this.#keys.length
  }

  add(key: string, lengths: ArrayLike<number>): number {
    const document = this.#keys.push(key) - 1
    this.#numbers.set(key, document)
    const begin = document * fields.length
    this.lengths = grown(this.lengths, begin + fields.length)
    this.lengths.set(lengths, begin)
    this.alive = grown(this.alive, document + 1)
    this.alive[document] = 1
    for (let field = 0; field < fields.length; field++) this.#sums[field]! += lengths[field]!
    return document
  }

  remove(key: string): void {
    const document = this.#numbers.get(key)
    if (document === undefined) return
    this.#numbers.delete(key)
    this.#keys[document] = null
    this.alive[document] = 0
    const lengths = this.lengthsOf(document)
    for (let field = 0; field < fields.length; field++) this.#sums[field]! -= lengths[field]!
  }

  keyOf(document: number): string | null {
    return this.#keys[document]!
  }

  /** The number of a key; -1 for none. */
  numberOf(key: string): number {
    return this.#numbers.get(key) ?? -1
  }

  lengthsOf(document: number): Int32Array {
    return this.lengths.subarray(document * fields.length, (document + 1) * fields.length)
  }

  lengthOfAll(field: number): number {
    return this.#sums[field]!
  }

  /** Those that are there, and the new number of each old one, -1 for none. */
  withoutGaps(): [Documents, Int32Array] {
    const dense = new Documents()
    const numbers = Int32Array.from(this.#keys, (key, old) =>
      key === null ? -1 : dense.add(key, this.lengthsOf(old)),
    )
    return [dense, numbers]
  }
}

/** The counts of the terms of one document. */
class Counts {
  #packed: Ints = new Int32Array(1 << 8)
  readonly #touched: number[] = []

  add(term: number, { shift, countMax }: Pick<FieldLayout, 'shift' | 'countMax'>): void {
    this.#packed = grown(this.#packed, term + 1)
    const packed = this.#packed[term]!
    if (packed === 0) this.#touched.push(term)
    const isFull = ((packed >>> shift) & countMax) === countMax
    this.#packed[term] = (isFull ? packed : packed + (1 << shift)) | isTouched
  }

  /** Hands out all counts and forgets them. */
  drain(visit: (term: number, packed: number) => void): void {
    for (const term of this.#touched) {
      visit(term, this.#packed[term]! & ~isTouched)
      this.#packed[term] = 0
    }
    this.#touched.length = 0
  }
}

/** The highest bit of a count under way, which no field uses. */
const isTouched = 1 << 31
const asMark = { shift: 0, countMax: 0 }

const deadMin = 1_000

/** Documents by their terms. */
export class LexicalIndex {
  #documents = new Documents()
  #terms = new Map<string, number>()
  #postings = new Postings()
  readonly #counts = new Counts()

  /** Which there are. */
  get documents(): Omit<Documents, 'add' | 'remove' | 'withoutGaps'> {
    return this.#documents
  }

  /** The documents of a term that are or were there, each followed by its packed count; until the next call. */
  pairs(term: string): Int32Array {
    const number = this.#terms.get(term)
    return number === undefined ? noPairs : this.#postings.read(number)
  }

  /** The terms that some document has or had, with their numbers. */
  get terms(): ReadonlyMap<string, number> {
    return this.#terms
  }

  /** Adds a document, or replaces the one of this key. */
  add(key: string, given: FieldTerms, marks: readonly string[] = []): void {
    this.remove(key)
    const lengths = fields.map((name) => given[name].length)
    const document = this.#documents.add(key, lengths)
    for (const [field, name] of fields.entries()) {
      for (const term of given[name]) this.#counts.add(this.#numberOf(term), layouts[field]!)
    }
    for (const mark of marks) this.#counts.add(this.#numberOf(mark), asMark)
    this.#counts.drain((term, packed) => this.#postings.add(term, document, packed))
  }

  #numberOf(term: string): number {
    const known = this.#terms.get(term)
    if (known !== undefined) return known
    this.#terms.set(term, this.#terms.size)
    return this.#terms.size - 1
  }

  /** Forgets the document of this key, if there is one. */
  remove(key: string): void {
    this.#documents.remove(key)
    const { end, size } = this.#documents
    if (end <= 2 * size + deadMin) return
    const [documents, numbers] = this.#documents.withoutGaps()
    this.#documents = documents
    ;[this.#terms, this.#postings] = withoutDead(this.#terms, this.#postings, numbers)
  }

  /** Calls `visit` for every document that has this term. */
  each(term: string, visit: (document: number, packed: number) => void): void {
    const pairs = this.pairs(term)
    const { alive } = this.#documents
    for (let at = 0; at < pairs.length; at += 2) {
      if (alive[pairs[at]!] === 1) visit(pairs[at]!, pairs[at + 1]!)
    }
  }
}

const noPairs = new Int32Array(0)

/** What is left when documents have new numbers, or none; terms that no document has are gone. */
function withoutDead(
  terms: ReadonlyMap<string, number>,
  postings: Postings,
  numbers: Int32Array,
): [Map<string, number>, Postings] {
  const kept = new Map<string, number>()
  const alive = new Postings()
  for (const [term, old] of terms) {
    const pairs = postings.read(old)
    for (let at = 0; at < pairs.length; at += 2) {
      const document = numbers[pairs[at]!]!
      if (document === -1) continue
      const number = kept.get(term) ?? kept.size
      kept.set(term, number)
      alive.add(number, document, pairs[at + 1]!)
    }
  }
  return [kept, alive]
}

/** A word that is looked for, and the terms under which it may be found. */
export interface TermGroup {
  word: string
  variants: readonly Variant[]
}

/** A term, and how surely it is meant. */
interface Variant {
  term: string
  weight: number
}

/** A document that has some of the words. */
export interface Ranked {
  key: string
  score: number
}

/** How many documents have one of the group's terms, at most all. */
function countDocuments(parts: readonly LexicalIndex[], { variants }: TermGroup): number {
  let count = 0
  for (const part of parts) {
    const { alive } = part.documents
    for (const { term } of variants) {
      const pairs = part.pairs(term)
      for (let at = 0; at < pairs.length; at += 2) count += alive[pairs[at]!]!
    }
  }
  return Math.min(count, sizeOf(parts))
}

function sizeOf(parts: readonly LexicalIndex[]): number {
  return parts.reduce((sum, { documents }) => sum + documents.size, 0)
}

function rarity(size: number, count: number): number {
  return Math.log(1 + (size - count + 0.5) / (count + 0.5))
}

function averages(parts: readonly LexicalIndex[]): number[] {
  const size = Math.max(1, sizeOf(parts))
  return fields.map((_, field) => {
    const sum = parts.reduce((total, part) => total + part.documents.lengthOfAll(field), 0)
    return Math.max(1, sum / size)
  })
}

/** The weighed count of a term, each field by its length beside the average one. */
function weighed(lengths: Int32Array, document: number, packed: number, means: Means): number {
  const begin = document * fields.length
  if ((packed & belowBody) === 0)
    return weighedField(bodyAt, packed, lengths[begin + bodyAt]!, means)
  let sum = 0
  for (let field = 0; field < fields.length; field++) {
    sum += weighedField(field, packed, lengths[begin + field]!, means)
  }
  return sum
}

type Means = readonly number[]

const bodyAt = fields.indexOf('body')
const belowBody = (1 << layouts[bodyAt]!.shift) - 1

function weighedField(field: number, packed: number, length: number, means: Means): number {
  const { weight, b, shift, countMax } = layouts[field]!
  const count = (packed >>> shift) & countMax
  return count === 0 ? 0 : (weight * count) / (1 - b + (b * length) / means[field]!)
}

function damped(count: number): number {
  return (count * (k1 + 1)) / (count + k1)
}

/** The scores of one question, for one index. */
class Scores {
  total = new Float64Array(0)
  group = new Float64Array(0)
  found: Ints = new Int32Array(0)
  foundCount = 0
  #touched: Ints = new Int32Array(0)
  #touchedCount = 0

  /** Makes room for so many documents. */
  begin(size: number): void {
    if (size <= this.total.length) return
    const room = Math.ceil(size * 1.25)
    this.total = new Float64Array(room)
    this.group = new Float64Array(room)
    this.found = new Int32Array(room)
    this.#touched = new Int32Array(room)
  }

  /** Takes a term of a group; returns how many documents have it. */
  take(part: LexicalIndex, { term, weight }: Variant, means: Means): number {
    const pairs = part.pairs(term)
    const { alive, lengths } = part.documents
    const { group } = this
    let count = 0
    for (let at = 0; at < pairs.length; at += 2) {
      const document = pairs[at]!
      if (alive[document] === 0) continue
      count++
      const value = weighed(lengths, document, pairs[at + 1]!, means)
      if (value === 0) continue
      const score = weight * damped(value)
      const before = group[document]!
      if (score <= before) continue
      if (before === 0) this.#touched[this.#touchedCount++] = document
      group[document] = score
    }
    return count
  }

  /** Adds the best of a group to each document that has one, times how rare the group is. */
  endGroup(rare: number): void {
    for (let at = 0; at < this.#touchedCount; at++) {
      const document = this.#touched[at]!
      if (this.total[document] === 0) this.found[this.foundCount++] = document
      this.total[document]! += rare * this.group[document]!
      this.group[document] = 0
    }
    this.#touchedCount = 0
  }

  /** Leaves nothing behind. */
  end(): void {
    for (let at = 0; at < this.foundCount; at++) this.total[this.found[at]!] = 0
    this.foundCount = 0
  }
}

const scoresKept = new WeakMap<LexicalIndex, Scores>()

function scoresOf(part: LexicalIndex): Scores {
  const scores = scoresKept.get(part) ?? new Scores()
  scoresKept.set(part, scores)
  scores.begin(part.documents.end)
  return scores
}

/** The documents that fit the words best, by score and then by key; at least `limit` if there are so many. */
export function rankDocuments(
  parts: readonly LexicalIndex[],
  groups: readonly TermGroup[],
  limit: number,
  isWanted: ((key: string) => boolean) | null = null,
): Ranked[] {
  const means = averages(parts)
  const size = sizeOf(parts)
  const scores = parts.map(scoresOf)
  for (const { variants } of groups) {
    let count = 0
    for (const [at, part] of parts.entries()) {
      for (const variant of variants) count += scores[at]!.take(part, variant, means)
    }
    const rare = rarity(size, Math.min(count, size))
    for (const each of scores) each.endGroup(rare)
  }
  const ranked = parts.flatMap((part, at) => best(part, scores[at]!, limit, isWanted))
  for (const each of scores) each.end()
  return ranked.sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
}

function best(
  part: LexicalIndex,
  scores: Scores,
  limit: number,
  isWanted: ((key: string) => boolean) | null,
): Ranked[] {
  const { total, found, foundCount } = scores
  for (let count = limit; ; count *= 8) {
    const least = nthBest(scores, count)
    const ranked: Ranked[] = []
    for (let at = 0; at < foundCount; at++) {
      const score = total[found[at]!]!
      const key = score >= least ? part.documents.keyOf(found[at]!)! : null
      if (key !== null && (isWanted?.(key) ?? true)) ranked.push({ key, score })
    }
    if (ranked.length >= limit || count >= foundCount) return ranked
  }
}

function nthBest({ total, found, foundCount }: Scores, limit: number): number {
  if (foundCount <= limit) return 0
  const heap = new Float64Array(limit)
  for (let at = 0; at < foundCount; at++) {
    const score = total[found[at]!]!
    if (score > heap[0]!) sink(heap, score)
  }
  return heap[0]!
}

/** Puts a score in the place of the least one and restores the heap. */
function sink(heap: Float64Array, score: number): void {
  let at = 0
  for (;;) {
    let below = 2 * at + 1
    if (below >= heap.length) break
    if (below + 1 < heap.length && heap[below + 1]! < heap[below]!) below++
    if (heap[below]! >= score) break
    heap[at] = heap[below]!
    at = below
  }
  heap[at] = score
}

/** What one word of the question did for a document. */
export interface WordReason {
  word: string
  /** The term under which it was found. */
  term: string
  score: number
  /** How often the term is in each field in which it is. */
  counts: Partial<Record<Field, number>>
}

/** The words that brought a document its score, in the order of the question. */
export function explainDocument(
  parts: readonly LexicalIndex[],
  groups: readonly TermGroup[],
  key: string,
): WordReason[] {
  const means = averages(parts)
  const size = sizeOf(parts)
  return groups.flatMap((group) => {
    const rare = rarity(size, countDocuments(parts, group))
    const reasons: WordReason[] = []
    for (const part of parts) {
      const document = part.documents.numberOf(key)
      for (const { term, weight } of document === -1 ? [] : group.variants) {
        const packed = packedOf(part.pairs(term), document)
        const count = weighed(part.documents.lengths, document, packed, means)
        if (count === 0) continue
        const score = weight * rare * damped(count)
        reasons.push({ word: group.word, term, score, counts: countsOf(packed) })
      }
    }
    return reasons.sort((a, b) => b.score - a.score).slice(0, 1)
  })
}

/** The count beside a document in a list, which is in the order of the numbers; 0 when it is not there. */
function packedOf(pairs: Int32Array, document: number): number {
  let [low, high] = [0, pairs.length / 2]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (pairs[2 * middle]! < document) low = middle + 1
    else high = middle
  }
  return pairs[2 * low] === document ? pairs[2 * low + 1]! : 0
}

function countsOf(packed: number): WordReason['counts'] {
  const counts = fields.map((name, field) => {
    const { shift, countMax } = layouts[field]!
    return [name, (packed >>> shift) & countMax] as const
  })
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}
