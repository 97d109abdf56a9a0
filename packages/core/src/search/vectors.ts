import { Products } from './dot-product.ts'

/** Vectors of one dimension by their keys. */
export class VectorTable {
  readonly dimension: number
  readonly #products: Products
  readonly #rows = new Map<string, number>()
  readonly #keys: (string | null)[] = []
  readonly #free: number[] = []

  /** An empty table for vectors of `dimension` numbers. */
  constructor(dimension: number) {
    this.dimension = dimension
    this.#products = new Products(dimension)
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
    return row === undefined ? null : this.#products.row(row).slice()
  }

  /** The keys of all. */
  keys(): Iterable<string> {
    return this.#rows.keys()
  }

  /** Adds a vector or replaces one. Throws a RangeError for one of another dimension. */
  set(key: string, vector: Float32Array): void {
    if (vector.length !== this.dimension) {
      throw new RangeError(`Expected ${this.dimension} numbers, got ${vector.length}`)
    }
    const row = this.#rows.get(key) ?? this.#free.pop() ?? this.#keys.length
    this.#rows.set(key, row)
    this.#keys[row] = key
    const place = this.#products.row(row)
    place.set(vector)
    normalise(place)
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
    const products = this.#products.with(normalise(query.slice()), this.#keys.length)
    for (let row = 0; row < products.length; row++) {
      const key = this.#keys[row]!
      if (key !== null) visit(key, products[row]!)
    }
  }
}

/** The same array with length one, unless it has none. */
function normalise(vector: Float32Array): Float32Array {
  let squares = 0
  for (const number of vector) squares += number * number
  const length = Math.sqrt(squares)
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at]! /= length
  return vector
}

/** A vector that is near, and how near, from -1 to 1. */
interface Near {
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
