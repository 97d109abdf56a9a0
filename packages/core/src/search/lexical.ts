import { type Field, fields, type Ints, k1, type LexicalIndex, layouts } from './postings.ts'

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
