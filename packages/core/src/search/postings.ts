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

/** Where the count of each field stands in the packed number. */
export const layouts: readonly FieldLayout[] = [
  { weight: 3, b: 0.4, shift: 0, countMax: 31 },
  { weight: 1.5, b: 0.2, shift: 5, countMax: 15 },
  { weight: 1, b: 0.5, shift: 9, countMax: 63 },
  { weight: 0.5, b: 0.4, shift: 15, countMax: 31 },
  { weight: 1, b: 0.7, shift: 20, countMax: 4_095 },
]

/** How fast a count is damped. */
export const k1 = 1.2

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

/** Whole numbers, in an array that grows. */
export type Ints = Int32Array<ArrayBuffer>

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
