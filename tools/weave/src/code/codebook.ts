import { join, posix, relative, sep } from 'node:path'
import { type Headline, LineIndex, type OrgContent, type SourceBlock, walk } from 'org-ast'
import type { Page } from '../pages/pages.ts'
import { anchorId } from '../pages/pages.ts'
import type { Atlas, AtlasSymbol, AtlasTarget } from './symbol-index.ts'

/** A block of a page that is shown. */
export interface PlacedBlock {
  page: Page
  block: SourceBlock
  /** Its address within the page. */
  id: string
  /** What it is called in lists: its name, or its heading. */
  title: string
  /** The names that lead somewhere, in the order of its text. */
  marks: Mark[]
  /** The files it goes to, and from which 1-based line. */
  lines: Map<AtlasTarget, number>
  /** What is defined in it, by number. */
  defines: number[]
}

/** A name in the text of a block. */
interface Mark {
  /** Offset in the block's body. */
  at: number
  length: number
  symbol: number
}

function placedBlocks(page: Page): PlacedBlock[] {
  const found: PlacedBlock[] = []
  const used = new Set<string>()
  let under: Headline | null = null
  let number = 0
  walk(page.tree, (node) => {
    if (node.type === 'headline') {
      under = node
      number = 0
      return page.slugs.has(node)
    }
    const block = page.blocks.get(node as OrgContent)
    if (block === undefined) return true
    number++
    if (/^(?:none|results)$/.test(block.headers.get('exports') ?? '')) return true
    const own = block.name === null ? null : anchorId(block.name)
    const slug = under === null ? '_code' : page.slugs.get(under)!
    const id = own === null || used.has(own) ? `${slug}--${number}` : own
    used.add(id)
    const title = block.name ?? under?.rawValue ?? page.title
    found.push({ page, block, id, title, marks: [], lines: new Map(), defines: [] })
    return true
  })
  return found
}

/** A stretch of a file, up to the next; `from` is null for what is not shown. */
interface Stretch {
  at: number
  from: PlacedBlock | null
}

class Overlay {
  readonly #page: Page
  readonly #original: LineIndex
  readonly #blocks: readonly PlacedBlock[]
  /** By the line of the document, where on the page it begins; null for a page that is the same. */
  readonly #starts: Map<number, number> | null

  constructor(page: Page, original: string, blocks: readonly PlacedBlock[]) {
    this.#page = page
    this.#blocks = blocks
    this.#original = new LineIndex(original)
    this.#starts = original === page.text ? null : startsOf(page, this.#original)
  }

  /** Where an offset of the document is in the text of the page, or null. */
  offset(source: number): number | null {
    if (this.#starts === null) return source
    const { line, column } = this.#original.point(source)
    const start = this.#starts.get(line)
    return start === undefined ? null : start + column - 1
  }

  /** The block at an offset of the page's text, or null. */
  block(offset: number): PlacedBlock | null {
    let low = 0
    let high = this.#blocks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#blocks[middle]!.block.node.startOffset <= offset) low = middle
      else high = middle - 1
    }
    const found = this.#blocks[low]
    const { startOffset = 0, endOffset = 0 } = found?.block.node ?? {}
    return found !== undefined && startOffset <= offset && offset < endOffset ? found : null
  }

  has(text: string, offset: number): boolean {
    return this.#page.text.startsWith(text, offset)
  }
}

function startsOf(page: Page, original: LineIndex): Map<number, number> {
  const shown = new LineIndex(page.text)
  const textOf = ({ text, starts, ends }: LineIndex, line: number) =>
    text.slice(starts[line - 1], ends[line - 1])
  const found = new Map<number, number>()
  for (let line = 1; line <= shown.count; line++) {
    const place = page.place(line)
    if (place.file !== page.file || found.has(place.line)) continue
    if (textOf(original, place.line) === textOf(shown, line)) {
      found.set(place.line, shown.starts[line - 1]!)
    }
  }
  return found
}

function stretchesOf({ text, runs }: AtlasTarget, overlay: Overlay | undefined): Stretch[] {
  const found: Stretch[] = []
  for (let index = 0; index < runs.length; index += 3) {
    const [at = 0, source = 0, copied] = runs.slice(index, index + 3)
    const place = overlay?.offset(source) ?? null
    const part = copied === 1 ? text.slice(at, runs[index + 3] ?? text.length) : ''
    const isThere = place !== null && overlay!.has(part.replace(/\n$/, ''), place)
    const from = isThere ? overlay!.block(place) : null
    if (found.length === 0 || found.at(-1)!.from !== from) found.push({ at, from })
  }
  return found
}

/** A use of a symbol. */
interface Use {
  from: PlacedBlock
  isTest: boolean
}

/** Where a symbol is explained. */
export interface Explained {
  symbol: AtlasSymbol
  from: PlacedBlock
  /** The address of its name within the page, and where it is in the body of the block. */
  id: string
  at: number | null
  uses: Use[]
}

/** The code of a book and its pages, in one. */
export interface Codebook {
  atlas: Atlas
  /** The files of which something is shown, with their addresses on the site. */
  files: Map<AtlasTarget, string>
  stretches: Map<AtlasTarget, Stretch[]>
  /** By the number of the symbol; without those that no page shows. */
  explained: Map<number, Explained>
  /** The blocks of each page, in order. */
  blocks: Map<Page, PlacedBlock[]>
  byNode: Map<OrgContent, PlacedBlock>
  byName: Map<string, Explained[]>
  /** All words of the code that is shown; collected when they are asked for. */
  words: () => ReadonlySet<string>
}

/** Lays an atlas over pages. `originals` are the documents before anything was cut out of them. */
export function codebookOf(
  pages: readonly Page[],
  atlas: Atlas,
  root: string,
  originals: ReadonlyMap<string, string>,
): Codebook {
  const maps = { files: new Map(), stretches: new Map(), explained: new Map(), blocks: new Map() }
  const book: Codebook = {
    atlas,
    ...maps,
    byNode: new Map(),
    byName: new Map(),
    words: () => words(),
  }
  const words = once(() => wordsIn([...book.blocks.values()].flat()))
  const overlays = new Map<string, Overlay>()
  for (const page of pages) {
    const blocks = placedBlocks(page)
    book.blocks.set(page, blocks)
    for (const placed of blocks) book.byNode.set(placed.block.node, placed)
    overlays.set(page.file, new Overlay(page, originals.get(page.file) ?? page.text, blocks))
  }
  const found = atlas.targets.map((target) => {
    const overlay = overlays.get(join(atlas.root, target.document))
    addFile(book, target, stretchesOf(target, overlay), root)
    return { target, names: overlay === undefined ? [] : namesOf(target, overlay) }
  })
  const taken = new Set<string>()
  for (const { target, names } of found) {
    for (const name of names) addDefinition(book, target, name, taken)
  }
  for (const { target, names } of found) for (const name of names) addUse(book, target, name)
  for (const { marks } of [...book.blocks.values()].flat()) marks.sort((a, b) => a.at - b.at)
  return book
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function wordsIn(blocks: readonly PlacedBlock[]): Set<string> {
  const words = new Set<string>()
  for (const { block } of blocks) {
    for (const [word] of block.body.matchAll(/[\w$]+/g)) words.add(word)
  }
  return words
}

function addFile(book: Codebook, target: AtlasTarget, stretches: Stretch[], root: string): void {
  const path = relative(root, join(book.atlas.root, target.path)).split(sep).join('/')
  if (path.startsWith('..') || stretches.every(({ from }) => from === null)) return
  book.files.set(target, `src/${path.replace(/[\s"#%&':<>?\\]+/g, '-')}.html`)
  book.stretches.set(target, stretches)
  let line = 1
  let before = 0
  for (const { at, from } of stretches) {
    line += target.text.slice(before, at).split('\n').length - 1
    before = at
    if (from !== null && !from.lines.has(target)) from.lines.set(target, line)
  }
}

function isDefinition({ atlas }: Codebook, target: AtlasTarget, { at, symbol }: Name): boolean {
  const entry = atlas.symbols[symbol]
  return entry !== undefined && entry.offset === at && atlas.targets[entry.target] === target
}

function addDefinition(book: Codebook, target: AtlasTarget, name: Name, taken: Set<string>): void {
  if (!isDefinition(book, target, name) || book.explained.has(name.symbol)) return
  const { from } = name
  const symbol = book.atlas.symbols[name.symbol]!
  let id = `_def-${symbol.name}`
  for (let twin = 2; taken.has(`${from.page.url}#${id}`); twin++) id = `_def-${symbol.name}-${twin}`
  taken.add(`${from.page.url}#${id}`)
  const explained = { symbol, from, id, at: name.inBody, uses: [] }
  book.explained.set(name.symbol, explained)
  from.defines.push(name.symbol)
  book.byName.set(symbol.name, [...(book.byName.get(symbol.name) ?? []), explained])
}

function addUse(book: Codebook, target: AtlasTarget, name: Name): void {
  const explained = book.explained.get(name.symbol)
  if (explained === undefined) return
  const { from, inBody, length, symbol } = name
  if (inBody !== null && from.marks.every(({ at }) => at !== inBody)) {
    from.marks.push({ at: inBody, length, symbol })
  }
  if (isDefinition(book, target, name)) return
  explained.uses.push({ from, isTest: isTest(target.path) })
}

/** What a name in a sentence of a page means, or null. */
export function named(book: Codebook, name: string, page: Page): Explained | null {
  const found = book.byName.get(name) ?? []
  const own = found.filter(({ from }) => from.page === page)
  const first = own.find(({ symbol }) => symbol.exported) ?? own[0]
  if (first !== undefined) return first
  const open = found.filter(({ symbol }) => symbol.exported && !inTest(symbol, book.atlas))
  const near = open.filter(({ from }) => from.page.room === page.room)
  const among = near.length > 0 ? near : open
  return among.length === 1 ? among[0]! : null
}

/** Whether a symbol is defined in a test. */
export function inTest({ target }: AtlasSymbol, { targets }: Atlas): boolean {
  return isTest(targets[target]?.path ?? '')
}

/** Whether a file is one of tests, by its path. */
export function isTest(path: string): boolean {
  return /(?:^|\/)tests?\/|\.(?:test|spec)\.\w+$/.test(path)
}

interface Name {
  /** Offset in the file. */
  at: number
  length: number
  symbol: number
  from: PlacedBlock
  /** Offset in the body of the block, or null where that cannot be said. */
  inBody: number | null
}

function namesOf({ text, runs, uses }: AtlasTarget, overlay: Overlay): Name[] {
  const names: Name[] = []
  let run = 0
  for (let index = 0, at = 0; index < uses.length; index += 3) {
    at += uses[index]!
    const length = uses[index + 1]!
    while (run + 3 < runs.length && runs[run + 3]! <= at) run += 3
    if (runs[run + 2] !== 1) continue
    const place = overlay.offset(runs[run + 1]! + at - runs[run]!)
    if (place === null || !overlay.has(text.slice(at, at + length), place)) continue
    const from = overlay.block(place)
    if (from === null) continue
    names.push({
      at,
      length,
      symbol: uses[index + 2]!,
      from,
      inBody: bodyOffset(from.block, place),
    })
  }
  return names
}

function bodyOffset({ code }: SourceBlock, place: number): number | null {
  const index = code.runs.findLastIndex(({ copied, source }) => copied && source <= place)
  const run = code.runs[index]
  if (run === undefined) return null
  const at = run.at + place - run.source
  return at < (code.runs[index + 1]?.at ?? code.text.length) ? at : null
}

/** The address of a place on one page, as seen from another. */
export function addressFrom(from: string, to: string, id: string | null): string {
  const place = id === null ? '' : `#${id}`
  if (from === to) return place
  return `${posix.relative(posix.dirname(from), to)}${place}`
}
