/** Vectors of one dimension by their keys. */
export class VectorTable {
  readonly dimension: number
  #numbers: Float32Array
  readonly #rows = new Map<string, number>()
  readonly #keys: (string | null)[] = []
  readonly #free: number[] = []

  /** An empty table for vectors of `dimension` numbers. */
  constructor(dimension: number) {
    this.dimension = dimension
    this.#numbers = new Float32Array(16 * dimension)
  }

  /** How many there are. */
  get size(): number {
    return this.#rows.size
  }

  /** Whether there is one of this key. */
  has(key: string): boolean {
    return this.#rows.has(key)
  }

  /** The vector of this key, of length one; null when there is none. */
  get(key: string): Float32Array | null {
    const row = this.#rows.get(key)
    return row === undefined ? null : this.#row(row).slice()
  }

  /** The keys of all. */
  keys(): Iterable<string> {
    return this.#rows.keys()
  }

  #row(row: number): Float32Array {
    return this.#numbers.subarray(row * this.dimension, (row + 1) * this.dimension)
  }

  /** Adds a vector or replaces one. Throws a RangeError for one of another dimension. */
  set(key: string, vector: Float32Array): void {
    if (vector.length !== this.dimension) {
      throw new RangeError(`Expected ${this.dimension} numbers, got ${vector.length}`)
    }
    const row = this.#rows.get(key) ?? this.#free.pop() ?? this.#keys.length
    this.#numbers = grown(this.#numbers, (row + 1) * this.dimension)
    this.#rows.set(key, row)
    this.#keys[row] = key
    this.#row(row).set(vector)
    normalise(this.#row(row))
  }

  /** Forgets the vector of this key. */
  delete(key: string): void {
    const row = this.#rows.get(key)
    if (row === undefined) return
    this.#rows.delete(key)
    this.#keys[row] = null
    this.#free.push(row)
  }

  /** The cosine with every vector, handed out by key, in the order of the rows. */
  each(query: Float32Array, visit: (key: string, cosine: number) => void): void {
    if (query.length !== this.dimension) return
    const direction = normalise(query.slice())
    for (const [row, key] of this.#keys.entries()) {
      if (key !== null) visit(key, product(direction, this.#numbers, row * this.dimension))
    }
  }
}

function grown(array: Float32Array, length: number): Float32Array {
  if (length <= array.length) return array
  const larger = new Float32Array(Math.ceil((length * 3) / 2))
  larger.set(array)
  return larger
}

function product(query: Float32Array, numbers: Float32Array, begin: number): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  const whole = query.length & ~3
  for (let at = 0; at < whole; at += 4) {
    a += query[at]! * numbers[begin + at]!
    b += query[at + 1]! * numbers[begin + at + 1]!
    c += query[at + 2]! * numbers[begin + at + 2]!
    d += query[at + 3]! * numbers[begin + at + 3]!
  }
  for (let at = whole; at < query.length; at++) a += query[at]! * numbers[begin + at]!
  return a + b + c + d
}

/** The same array with length one, unless it has none. */
function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(product(vector, vector, 0))
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at]! /= length
  return vector
}

/** A vector that is near, and how near, from -1 to 1. */
export interface Near {
  key: string
  cosine: number
}

/** The vectors nearest to the query, the nearest first. */
export function nearest(
  table: VectorTable,
  query: Float32Array,
  limit: number,
  isWanted: (key: string) => boolean = () => true,
): Near[] {
  let kept: Near[] = []
  let least = -Infinity
  const order = (a: Near, b: Near) => b.cosine - a.cosine || (a.key < b.key ? -1 : 1)
  table.each(query, (key, cosine) => {
    if (cosine < least || !isWanted(key)) return
    kept.push({ key, cosine })
    if (kept.length < 2 * limit + 64) return
    kept = kept.sort(order).slice(0, limit)
    least = kept.at(-1)?.cosine ?? Infinity
  })
  return kept.sort(order).slice(0, limit)
}
