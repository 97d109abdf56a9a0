interface Leaf<V> {
  readonly hash: number
  /** One name, or several whose hashes are the same in all bits. */
  readonly entries: readonly (readonly [key: string, value: V])[]
}

interface Branch<V> {
  readonly bitmap: number
  readonly slots: readonly Node<V>[]
}

type Node<V> = Leaf<V> | Branch<V>

interface Trie<V> {
  readonly root: Node<V> | null
  readonly size: number
}

const isLeaf = <V>(node: Node<V>): node is Leaf<V> => 'entries' in node

/** An immutable map with names as keys; a change shares its structure with what was before. */
export class PersistentMap<V> {
  #trie: Trie<V> | (() => Iterable<readonly [string, V]>)

  /** An empty map; what is given is for the map's own methods. */
  constructor(trie: Trie<V> | (() => Iterable<readonly [string, V]>) = { root: null, size: 0 }) {
    this.#trie = trie
  }

  /** A map of these entries; of those with one name the last. They are asked for when it is used. */
  static from<V>(entries: () => Iterable<readonly [string, V]>): PersistentMap<V> {
    return new PersistentMap(entries)
  }

  get #made(): Trie<V> {
    if (typeof this.#trie === 'function') this.#trie = trieOf(this.#trie())
    return this.#trie
  }

  /** How many names it has. */
  get size(): number {
    return this.#made.size
  }

  /** The value of this name, or undefined. */
  get(key: string): V | undefined {
    return lookUp(this.#made.root, key)?.[1]
  }

  /** The same map with this value under this name. */
  with(key: string, value: V): PersistentMap<V> {
    const { root, size } = this.#made
    const known = lookUp(root, key)
    if (known !== undefined && Object.is(known[1], value)) return this
    const isNew = known === undefined
    return new PersistentMap({
      root: put(root, 0, hashOf(key), key, value),
      size: size + (isNew ? 1 : 0),
    })
  }

  /** The same map without this name. */
  without(key: string): PersistentMap<V> {
    const { root, size } = this.#made
    if (root === null || lookUp(root, key) === undefined) return this
    return new PersistentMap({ root: take(root, 0, hashOf(key), key), size: size - 1 })
  }

  /** All entries, in an order that means nothing. */
  *[Symbol.iterator](): Generator<readonly [string, V]> {
    const { root } = this.#made
    if (root !== null) yield* entriesOf(root)
  }

  /** The names that do not have the same value in both, in time proportional to their number. */
  changes(other: PersistentMap<V>): string[] {
    const found: string[] = []
    if (this.#trie !== other.#trie) compare(this.#made.root, other.#made.root, found)
    return found
  }
}

function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}

/** The bit of a hash on a level, and how many slots a branch has before that bit. */
const bitAt = (hash: number, shift: number) => 1 << ((hash >>> shift) & 31)
const slotsBefore = (bitmap: number, bit: number) => countBits(bitmap & (bit - 1))

function countBits(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555)
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333)
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function lookUp<V>(root: Node<V> | null, key: string): readonly [string, V] | undefined {
  const hash = hashOf(key)
  let node = root
  for (let shift = 0; node !== null; shift += 5) {
    if (isLeaf(node)) return node.entries.find(([known]) => known === key)
    const bit = bitAt(hash, shift)
    node = (node.bitmap & bit) === 0 ? null : node.slots[slotsBefore(node.bitmap, bit)]!
  }
  return undefined
}

function put<V>(node: Node<V> | null, shift: number, hash: number, key: string, value: V): Node<V> {
  if (node === null) return { hash, entries: [[key, value]] }
  if (isLeaf(node)) {
    if (node.hash !== hash) {
      const branch = { bitmap: bitAt(node.hash, shift), slots: [node] }
      return put(branch, shift, hash, key, value)
    }
    const others = node.entries.filter(([known]) => known !== key)
    return { hash, entries: [...others, [key, value]] }
  }
  const bit = bitAt(hash, shift)
  const at = slotsBefore(node.bitmap, bit)
  if ((node.bitmap & bit) === 0) {
    const slots = node.slots.toSpliced(at, 0, put(null, shift + 5, hash, key, value))
    return { bitmap: node.bitmap | bit, slots }
  }
  const below = put(node.slots[at]!, shift + 5, hash, key, value)
  return { bitmap: node.bitmap, slots: node.slots.with(at, below) }
}

function trieOf<V>(entries: Iterable<readonly [string, V]>): Trie<V> {
  const known = new Map(entries)
  const leaves = Array.from(known, (entry) => ({ hash: hashOf(entry[0]), entries: [entry] }))
  return { root: gather(leaves, 0), size: known.size }
}

function gather<V>(leaves: readonly Leaf<V>[], shift: number): Node<V> | null {
  const [first] = leaves
  if (first === undefined || leaves.length === 1) return first ?? null
  if (leaves.every(({ hash }) => hash === first.hash)) {
    return { hash: first.hash, entries: leaves.flatMap(({ entries }) => entries) }
  }
  const heaps: (Leaf<V>[] | undefined)[] = Array.from({ length: 32 })
  let bitmap = 0
  for (const leaf of leaves) {
    bitmap |= bitAt(leaf.hash, shift)
    const slot = (leaf.hash >>> shift) & 31
    const heap = heaps[slot]
    if (heap === undefined) heaps[slot] = [leaf]
    else heap.push(leaf)
  }
  const slots = heaps.flatMap((heap) => (heap === undefined ? [] : gather(heap, shift + 5)!))
  return { bitmap, slots }
}

function take<V>(node: Node<V>, shift: number, hash: number, key: string): Node<V> | null {
  if (isLeaf(node)) {
    const entries = node.entries.filter(([known]) => known !== key)
    return entries.length === 0 ? null : { hash, entries }
  }
  const bit = bitAt(hash, shift)
  const at = slotsBefore(node.bitmap, bit)
  const below = take(node.slots[at]!, shift + 5, hash, key)
  const slots = below === null ? node.slots.toSpliced(at, 1) : node.slots.with(at, below)
  if (slots.length === 0) return null
  if (slots.length === 1 && isLeaf(slots[0]!)) return slots[0]
  return { bitmap: below === null ? node.bitmap & ~bit : node.bitmap, slots }
}

function* entriesOf<V>(node: Node<V>): Generator<readonly [string, V]> {
  if (isLeaf(node)) yield* node.entries
  else for (const slot of node.slots) yield* entriesOf(slot)
}

function compare<V>(one: Node<V> | null, other: Node<V> | null, found: string[]): void {
  if (one === other) return
  if (one !== null && other !== null && !isLeaf(one) && !isLeaf(other)) {
    for (let slot = 0; slot < 32; slot++) compare(slotOf(one, slot), slotOf(other, slot), found)
    return
  }
  const before = new Map(one === null ? [] : entriesOf(one))
  const after = new Map(other === null ? [] : entriesOf(other))
  for (const [key, value] of before) {
    if (!after.has(key) || !Object.is(after.get(key), value)) found.push(key)
  }
  for (const key of after.keys()) if (!before.has(key)) found.push(key)
}

function slotOf<V>({ bitmap, slots }: Branch<V>, slot: number): Node<V> | null {
  const bit = 1 << slot
  return (bitmap & bit) === 0 ? null : slots[slotsBefore(bitmap, bit)]!
}
