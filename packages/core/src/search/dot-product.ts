function leb(number: number): number[] {
  const bytes: number[] = []
  let rest = number
  do {
    const more = rest >>> 7 !== 0
    bytes.push((rest & 127) | (more ? 128 : 0))
    rest >>>= 7
  } while (rest !== 0)
  return bytes
}

const section = (id: number, content: number[]) => [id, ...leb(content.length), ...content]

const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const tee = (local: number) => [0x22, local]
const constant = (number: number) => [0x41, ...leb(number)]
const add = [0x6a]
const subtract = [0x6b]
const isLess = [0x49]
const loop = [0x03, 0x40]
const again = [0x0d, 0x00]
const end = [0x0b]

const load4 = (offset: number) => [0xfd, 0x00, 2, ...leb(offset)]
const zero4 = [0xfd, 0x0c, ...Array.from({ length: 16 }, () => 0)]
const multiply4 = [0xfd, ...leb(0xe6)]
const add4 = [0xfd, ...leb(0xe4)]
const lane = (number: number) => [0xfd, 0x1f, number]
const addFloat = [0x92]
const storeFloat = [0x38, 2, 0]

const [query, row, rows, bytes, out, at, first, second] = [0, 1, 2, 3, 4, 5, 6, 7] as const

const fourAt = (vector: number, offset: number) => [
  ...get(vector),
  ...get(at),
  ...add,
  ...load4(offset),
]
const sumFour = (sum: number, offset: number) => [
  ...fourAt(query, offset),
  ...fourAt(row, offset),
  ...multiply4,
  ...get(sum),
  ...add4,
  ...set(sum),
]

const body = [
  ...loop,
  ...[...zero4, ...set(first), ...zero4, ...set(second), ...constant(0), ...set(at)],
  ...[...loop, ...sumFour(first, 0), ...sumFour(second, 16)],
  ...[...get(at), ...constant(32), ...add, ...tee(at), ...get(bytes), ...isLess, ...again, ...end],
  ...[...get(first), ...get(second), ...add4, ...set(first), ...get(out)],
  ...[0, 1, 2, 3].flatMap((number) => [...get(first), ...lane(number)]),
  ...[...addFloat, ...addFloat, ...addFloat, ...storeFloat],
  ...[...get(row), ...get(bytes), ...add, ...set(row)],
  ...[...get(out), ...constant(4), ...add, ...set(out)],
  ...[...get(rows), ...constant(1), ...subtract, ...tee(rows), ...again, ...end],
  ...end,
]

const locals = [2, 1, 0x7f, 2, 0x7b]
const code = [...locals, ...body]

const program = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 5, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0]),
  ...section(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]),
  ...section(3, [1, 0]),
  ...section(7, [1, 1, 0x66, 0, 0]),
  ...section(10, [1, ...leb(code.length), ...code]),
])

/** What is used of it; the types of Node leave it to those of browsers. */
declare const WebAssembly: {
  Memory: new (limits: { initial: number }) => { buffer: ArrayBuffer; grow(pages: number): number }
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> }
}

type Multiply = (query: number, row: number, rows: number, bytes: number, out: number) => void

const pageBytes = 65_536

/** Rows of floats in a memory of their own, which grows. */
export class Products {
  readonly dimension: number
  readonly #stride: number
  readonly #memory = new WebAssembly.Memory({ initial: 1 })
  readonly #multiply: Multiply
  #capacity = 0

  constructor(dimension: number) {
    this.dimension = dimension
    this.#stride = Math.ceil(dimension / 8) * 8
    const imports = { m: { m: this.#memory } }
    const instance = new WebAssembly.Instance(new WebAssembly.Module(program), imports)
    this.#multiply = instance.exports.f as Multiply
  }

  /** The row of this number, to read and to write, until the next one that is new. */
  row(number: number): Float32Array {
    this.#reserve(number + 1)
    const begin = (number + 1) * this.#stride
    return this.#floats().subarray(begin, begin + this.dimension)
  }

  #floats(): Float32Array {
    return new Float32Array(this.#memory.buffer)
  }

  #reserve(count: number): void {
    if (count <= this.#capacity) return
    const capacity = Math.max(count, Math.ceil(this.#capacity * 1.25), 64)
    const bytes = 4 * ((capacity + 1) * this.#stride + capacity)
    const missing = bytes - this.#memory.buffer.byteLength
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageBytes))
    this.#capacity = capacity
    this.#floats().fill(0, this.#sums())
  }

  #sums(): number {
    return (this.#capacity + 1) * this.#stride
  }

  /** The product of `vector` with each of the first `count` rows; valid until the next call. */
  with(vector: Float32Array, count: number): Float32Array {
    if (count === 0) return new Float32Array(0)
    this.#reserve(count)
    const floats = this.#floats()
    floats.set(vector)
    const sums = this.#sums()
    this.#multiply(0, 4 * this.#stride, count, 4 * this.#stride, 4 * sums)
    return floats.subarray(sums, sums + count)
  }
}
