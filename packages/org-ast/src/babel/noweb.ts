import { LineIndex } from '../text/lines.ts'
import { MapBuilder, type Mapped, originAt, replaceIn, type Stretch } from '../text/mapped.ts'
import type { Headline, OrgData } from '../tree/nodes.ts'
import { headlines, properties } from '../tree/query.ts'
import { OrgSourceError, type SourceBlock } from './source.ts'

/** A header argument of a block as text; null without a value, undefined when it is not there. */
export type Argument = (key: string) => string | null | undefined

function argumentsOf(block: SourceBlock): Argument {
  return (key) => {
    const last = block.args.findLast((argument) => argument.key === key)
    return last?.value === null ? null : block.headers.get(key)
  }
}

const expanding = new Set(['yes', 'tangle', 'no-export', 'strip-export', 'strip-tangle'])

function expands(argument: Argument): boolean {
  return (argument('noweb') ?? '').split(/[ \f\t\n\r\v]+/).some((word) => expanding.has(word))
}

/** What to know and to do beside the blocks' own arguments. */
export interface NowebOptions {
  /** The arguments of the block itself, when they had to be evaluated. */
  argument?: Argument
  /** Lines to write before and after a block that is put in, where `:comments noweb` asks. */
  wrap?: (inserted: SourceBlock, by: SourceBlock, cursor: SourceBlock) => [string, string]
}

/** The references between the blocks of one document. */
export class Noweb {
  /** References that nothing answered so far, with the 1-based line they stand on. */
  readonly missing: { name: string; line: number }[] = []
  readonly #book: Book

  constructor(
    tree: OrgData,
    text: string,
    blocks: readonly SourceBlock[],
    lines: LineIndex = new LineIndex(text),
  ) {
    const found = new Map<string, SourceBlock[]>()
    const looked = { found, scanned: false, ids: null, names: null }
    const { missing } = this
    this.#book = { tree, text, blocks, lines, missing, ...looked, options: {}, size: 0 }
  }

  /** The block's code with its references replaced. Throws an OrgSourceError for a circle. */
  expand(block: SourceBlock, options: NowebOptions = {}): Mapped {
    const book = Object.assign(this.#book, { options, size: 0 })
    const argument = options.argument ?? argumentsOf(block)
    if (argument('noweb') === 'strip-tangle')
      return replaceIn(block.code, references(block.code.text))
    if (!expands(argument)) return block.code
    return expandBlock(book, { block, argument, path: [block], cursor: block })
  }
}

interface Book {
  tree: OrgData
  text: string
  blocks: readonly SourceBlock[]
  lines: LineIndex
  missing: { name: string; line: number }[]
  found: Map<string, SourceBlock[]>
  scanned: boolean
  ids: Map<string, Headline> | null
  names: Map<string, SourceBlock> | null
  options: NowebOptions
  size: number
}

interface Request {
  block: SourceBlock
  argument: Argument
  path: readonly SourceBlock[]
  cursor: SourceBlock
}

interface Found extends Stretch {
  name: string
}

function references(text: string): Found[] {
  const found: Found[] = []
  if (!text.includes('<<')) return found
  const ends = [...text.matchAll(/(?<=[^ \t\n])(?=>>)/g)].map(({ index }) => index)
  let next = 0
  for (let at = text.indexOf('<<'); at !== -1; at = text.indexOf('<<', at)) {
    while (next < ends.length && ends[next]! < at + 4) next++
    const end = endOfReference(text, at, ends[next])
    if (end === null) at++
    else {
      found.push({ index: at, 0: text.slice(at, end + 2), name: text.slice(at + 2, end) })
      at = end + 2
    }
  }
  return found
}

function endOfReference(text: string, at: number, end: number | undefined): number | null {
  if (/[ \t\n]/.test(text.charAt(at + 2))) return null
  const newline = text.indexOf('\n', at)
  if (end !== undefined && (newline === -1 || end < newline)) return end
  return text.startsWith('>>', at + 3) ? at + 3 : null
}

function expandBlock(book: Book, request: Request): Mapped {
  const { code } = request.block
  const prefixed = request.argument('noweb-prefix')
  const repeats = prefixed === undefined || ![null, 'no', 'nil'].includes(prefixed)
  let after = 0
  return replaceIn(code, references(code.text), (match, into) => {
    const start = Math.max(after, code.text.lastIndexOf('\n', match.index) + 1)
    const prefix = repeats ? code.text.slice(start, match.index) : ''
    after = match.index + match[0].length
    const { source } = originAt(code, match.index)
    const line = book.lines.point(source).line
    const inserted = resolve(book, match.name, line, request)
    grow(book, inserted, line)
    addPrefixed(into, inserted, prefix, source, repeats)
  })
}

function addPrefixed(
  into: MapBuilder,
  inserted: Mapped,
  prefix: string,
  source: number,
  repeats: boolean,
): void {
  let from = 0
  for (const { index } of repeats ? inserted.text.matchAll(/[\n\r]/g) : []) {
    into.add(inserted, from, index)
    if (inserted.text[index] === '\n') into.add(inserted, index, index + 1)
    else into.make('\n', source)
    into.make(prefix, source)
    from = index + 1
  }
  into.add(inserted, from)
}

const sizeMax = 1 << 24
const depthMax = 200

function grow(book: Book, { text, runs }: Mapped, line: number): void {
  book.size += text.length + runs.length * 32
  if (book.size <= sizeMax) return
  throw new OrgSourceError(line, 'This block expands to more than a file should hold')
}

function resolve(book: Book, name: string, line: number, request: Request): Mapped {
  if (/\(.*\)/.test(name)) {
    throw new OrgSourceError(line, `<<${name}>> is a call, and would have to be evaluated`)
  }
  const known = book.found.get(name)
  if (known !== undefined) return join(book, known, request)
  const headline = headlineOf(book, name)
  if (headline !== undefined) return sectionOf(book, headline)
  const named = namedBlock(book, name)
  if (named !== undefined) {
    book.found.set(name, [named])
    return join(book, [named], { ...request, cursor: named })
  }
  if (!book.scanned) scan(book)
  const shared = book.found.get(name)
  if (shared !== undefined) return join(book, shared, request)
  book.missing.push({ name, line })
  return new MapBuilder().finish()
}

function namedBlock(book: Book, name: string): SourceBlock | undefined {
  if (book.names === null) {
    book.names = new Map()
    for (const block of book.blocks) {
      const key = block.name?.toLowerCase()
      if (key !== undefined && !book.names.has(key)) book.names.set(key, block)
    }
  }
  const block = book.names.get(name.toLowerCase())
  return block?.commented ? undefined : block
}

function scan(book: Book): void {
  book.scanned = true
  book.found = new Map()
  for (const block of book.blocks) {
    const name = block.commented ? null : (argumentsOf(block)('noweb-ref') ?? null)
    if (name === null) continue
    const found = book.found.get(name)
    if (found === undefined) book.found.set(name, [block])
    else found.push(block)
  }
}

function headlineOf(book: Book, name: string): Headline | undefined {
  if (book.ids === null) {
    const found = { CUSTOM_ID: new Map<string, Headline>(), ID: new Map<string, Headline>() }
    for (const headline of headlines(book.tree)) {
      for (const { key, value } of properties(headline)) {
        const ids = found[key.toUpperCase() as 'ID']
        const id = value.toLowerCase()
        if (ids !== undefined && !ids.has(id)) ids.set(id, headline)
      }
    }
    book.ids = new Map([...found.ID, ...found.CUSTOM_ID])
  }
  return book.ids.get(name.toLowerCase())
}

function sectionOf({ text, lines }: Book, headline: Headline): Mapped {
  let begin = lines.starts[lines.lineAt(headline.startOffset) + 1]!
  const section = headline.children[0]
  for (const element of section?.type === 'section' ? section.children.slice(0, 2) : []) {
    if (element.type !== 'planning' && element.type !== 'property-drawer') break
    begin = lines.starts[lines.lineAt(element.endOffset - 1) - element.postBlank + 1]!
  }
  const { endOffset } = headline
  const end = endOffset < text.length ? lines.ends[lines.lineAt(endOffset - 1)]! : text.length
  const builder = new MapBuilder()
  builder.copy(text, begin, Math.max(begin, end), text.includes('\r\n'))
  return builder.finish()
}

function join(book: Book, blocks: readonly SourceBlock[], request: Request): Mapped {
  const builder = new MapBuilder()
  for (const [index, block] of blocks.entries()) {
    const before = blocks[index - 1]
    if (before !== undefined) {
      builder.make(argumentsOf(before)('noweb-sep') ?? '\n', block.node.postAffiliated)
    }
    insert(book, builder, block, request)
  }
  return builder.finish()
}

function insert(book: Book, builder: MapBuilder, block: SourceBlock, request: Request): void {
  const argument = argumentsOf(block)
  const { path, cursor } = request
  let code = block.code
  if (expands(argument)) {
    if (path.includes(block)) throw circle([...path.slice(path.indexOf(block)), block])
    if (path.length > depthMax) throw new OrgSourceError(block.line, 'Blocks are nested too deeply')
    code = expandBlock(book, { block, argument, path: [...path, block], cursor })
  }
  const wrap = request.argument('comments') === 'noweb' ? book.options.wrap : undefined
  if (wrap === undefined) {
    builder.add(code)
    return
  }
  const [above, below] = wrap(block, request.block, cursor)
  const place = block.node.postAffiliated
  builder.make(`${above}\n`, place)
  builder.add(code)
  builder.make(`\n${below}\n`, place)
}

function circle(blocks: readonly SourceBlock[]): OrgSourceError {
  const names = blocks.map(({ name }) => name ?? 'unnamed')
  const message = `These blocks contain one another: ${names.join(' → ')}`
  return new OrgSourceError(blocks[0]!.line, message)
}
