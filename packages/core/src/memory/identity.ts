/** A headline as the comparison sees it; the file itself is the first of its sections. */
export interface Section {
  /** The id that counts as written, or null. */
  written: string | null
  title: string
  /** The line of stars. */
  head: string
  content: string
  /** A hash over it and everything inside. */
  hash: string
  /** The index of the section around it; -1 for the file. */
  parent: number
}

/** For each section after, the index of the same one before, or null; none is taken twice. */
export function matchSections(
  before: readonly Section[],
  after: readonly Section[],
): (number | null)[] {
  if (before.length === 0) return after.map(() => null)
  const match = new Match(before, after)
  match.pair((section) => section.written)
  pairEnds(match)
  match.pair(({ hash }, parent) => `${parent} ${hash}`, 'whole')
  match.pair(({ hash }) => hash, 'whole')
  match.pair(({ head, content }, parent) => `${parent} ${head}${content}`)
  match.pair(({ head, content }) => head + content)
  match.pair(({ title }, parent) => `${parent} ${title}`, 'only')
  pairParents(match)
  match.pair(({ content }, parent) => (blank(content) ? null : `${parent} ${content}`))
  match.pair(({ content }) => (blank(content) ? null : content))
  pairSimilar(match)
  match.pair(({ title }, parent) => `${parent} ${title}`)
  match.pair(({ title }) => title)
  pairPlaces(match)
  return match.found
}

const blank = (text: string) => text.trim() === ''

type Key = (section: Section, parent: number | null) => string | null

class Match {
  readonly before: readonly Section[]
  readonly after: readonly Section[]
  /** For each section after, its partner. */
  readonly found: (number | null)[]
  readonly #taken = new Set<number>()

  constructor(before: readonly Section[], after: readonly Section[]) {
    this.before = before
    this.after = after
    this.found = after.map(() => null)
    if (before.length > 0 && after.length > 0) this.join(0, 0)
  }

  join(from: number, to: number): void {
    this.found[to] = from
    this.#taken.add(from)
  }

  isOpen(from: number, to: number): boolean {
    return this.found[to] === null && !this.#taken.has(from)
  }

  openBefore(): number[] {
    return [...this.before.keys()].filter((at) => !this.#taken.has(at))
  }

  openAfter(): number[] {
    return [...this.after.keys()].filter((at) => this.found[at] === null)
  }

  #parentAfter(at: number): number | null {
    return this.found[this.after[at]!.parent] ?? null
  }

  /** Pairs equal keys in order; `only` where both sides have equally many, `whole` with what is inside. */
  pair(key: Key, how: 'in-order' | 'only' | 'whole' = 'in-order'): void {
    const queues = new Map<string, number[]>()
    for (const at of this.openBefore().reverse()) {
      addTo(queues, key(this.before[at]!, this.before[at]!.parent), at)
    }
    if (queues.size === 0) return
    const alike = how === 'only' ? this.#alike(key, queues) : null
    for (const at of this.openAfter()) {
      if (this.found[at] !== null) continue
      const name = key(this.after[at]!, this.#parentAfter(at))
      if (name === null || alike?.has(name) === false) continue
      const queue = queues.get(name) ?? []
      let from = queue.pop()
      while (from !== undefined && this.#taken.has(from)) from = queue.pop()
      if (from === undefined) continue
      this.join(from, at)
      if (how === 'whole') joinInside(this, from, at)
    }
  }

  /** The keys that as many sections have on both sides. */
  #alike(key: Key, before: ReadonlyMap<string, readonly number[]>): Set<string> {
    const after = new Map<string, number[]>()
    for (const at of this.openAfter()) addTo(after, key(this.after[at]!, this.#parentAfter(at)), at)
    const same = [...after].filter(([name, list]) => before.get(name)?.length === list.length)
    return new Set(same.map(([name]) => name))
  }
}

function joinInside(match: Match, from: number, to: number): void {
  for (let step = 1; (match.before[from + step]?.parent ?? -1) >= from; step++) {
    if (match.isOpen(from + step, to + step)) match.join(from + step, to + step)
  }
}

/** Pairs what stands unchanged at the beginning and at the end. */
function pairEnds(match: Match): void {
  const sizes = [match.before.length, match.after.length] as const
  for (let at = 1; at < Math.min(...sizes) && agree(match, at, at); at++);
  for (let end = 1; end < Math.min(...sizes); end++) {
    if (!agree(match, sizes[0] - end, sizes[1] - end)) break
  }
}

/** Whether two sections are partners, or become so because their own texts are the same. */
function agree(match: Match, from: number, to: number): boolean {
  if (match.found[to] === from) return true
  const one = match.before[from]!
  const other = match.after[to]!
  if (!match.isOpen(from, to) || one.head !== other.head || one.content !== other.content)
    return false
  match.join(from, to)
  return true
}

/** Pairs the parents of sections that are partners. */
function pairParents(match: Match): void {
  for (let to = match.after.length - 1; to > 0; to--) {
    const from = match.found[to]
    if (from === null || from === undefined) continue
    const parents = [match.before[from]!.parent, match.after[to]!.parent] as const
    if (parents[1] > 0 && parents[0] > 0 && match.isOpen(...parents)) match.join(...parents)
  }
}

/** Pairs empty sections by their number among the children of their parents. */
function pairPlaces(match: Match): void {
  const before = numbers(match.before)
  const after = numbers(match.after)
  const places = new Map(match.before.map((section, at) => [section, before[at]]))
  for (const [at, section] of match.after.entries()) places.set(section, after[at])
  match.pair((section, parent) =>
    blank(section.content) ? `${parent} ${places.get(section)}` : null,
  )
}

/** Pairs sections whose words are mostly the same, the most alike first. */
function pairSimilar(match: Match): void {
  const places = new Map<string, number[]>()
  const words = (section: Section) => new Set(section.content.match(/[\p{L}\p{N}]+/gu))
  const sizes = new Map<number, number>()
  for (const at of match.openBefore()) {
    const own = words(match.before[at]!)
    sizes.set(at, own.size)
    for (const word of own) addTo(places, word, at)
  }
  const pairs: { from: number; to: number; likeness: number }[] = []
  for (const to of match.openAfter()) {
    const own = words(match.after[to]!)
    for (const [from, shared] of sharers(places, own)) {
      const likeness = (2 * shared) / (own.size + sizes.get(from)!)
      const isNamesake = match.before[from]!.title === match.after[to]!.title
      if (likeness >= 0.5) pairs.push({ from, to, likeness: likeness + (isNamesake ? 0.1 : 0) })
    }
  }
  pairs.sort((a, b) => b.likeness - a.likeness)
  for (const { from, to } of pairs) if (match.isOpen(from, to)) match.join(from, to)
}

function sharers(places: ReadonlyMap<string, number[]>, words: Set<string>): Map<number, number> {
  const counts = new Map<number, number>()
  for (const word of words) {
    const there = places.get(word) ?? []
    if (there.length > 8) continue
    for (const at of there) counts.set(at, (counts.get(at) ?? 0) + 1)
  }
  return counts
}

function numbers(sections: readonly Section[]): number[] {
  const counts = new Map<number, number>()
  return sections.map(({ parent }) => {
    const number = counts.get(parent) ?? 0
    counts.set(parent, number + 1)
    return number
  })
}

function addTo(map: Map<string, number[]>, key: string | null, value: number): void {
  if (key === null) return
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
