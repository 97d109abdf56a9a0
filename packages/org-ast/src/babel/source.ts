import { parse } from '../parse/parse.ts'
import type { ReadFile } from '../parse/settings.ts'
import { LineIndex } from '../text/lines.ts'
import { dedent, MapBuilder, type Mapped, unescapeMapped } from '../text/mapped.ts'
import type { Keyword, SrcBlock } from '../tree/lesser-elements.ts'
import type { Headline, OrgData, Section } from '../tree/nodes.ts'
import { walk } from '../tree/query.ts'
import {
  type FileProperties,
  fileProperties,
  type HeaderArgument,
  headerArguments,
  inheritedArguments,
  unquoteValue,
} from './headers.ts'

/** One `#+begin_src`, ready to be used as code. */
export interface SourceBlock {
  node: SrcBlock
  /** From `#+name:`, or null. */
  name: string | null
  /** Empty when the block has none, see `SourceOptions`. */
  language: string
  /** All header arguments as written, the weakest first. */
  args: readonly HeaderArgument[]
  /** The strongest value of each header argument; keys without colon. */
  headers: Map<string, string>
  /** The code: commas and common indentation removed, LF line ends, no final line end. */
  body: string
  /** The same with the place of each character in the document. */
  code: Mapped
  /** 1-based line of `#+begin_src`. */
  line: number
  /** 1-based line of the body's first line. */
  bodyLine: number
  /** The headline it is under, or null before the first. */
  headline: Headline | null
  /** The document and the headlines around it, from the outermost. */
  chain: readonly (OrgData | Headline)[]
  /** What the file's `#+property:` lines say. */
  properties: FileProperties
  /** The how-manieth block it is right under its headline, from 1, all blocks counted. */
  number: number
  /** Under a headline that starts with COMMENT: not to be tangled, not to be referenced. */
  commented: boolean
  /** Under a headline tagged ARCHIVE: not to be tangled. */
  archived: boolean
}

/** A problem in a document, at a 1-based line. */
export class OrgSourceError extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.name = 'OrgSourceError'
    this.line = line
  }
}

/** What may be asked of `sourceBlocks`. */
export interface SourceOptions {
  /** List blocks without a language, too; by default they are left out. */
  bare?: boolean
  /** Gives the text of a `#+setupfile:`; by default such files are not read. */
  readFile?: ReadFile
  /** The text's own index of lines, if there is one already. */
  lines?: LineIndex
}

/** All source blocks in document order, COMMENT and ARCHIVE ones included. */
export function sourceBlocks(
  tree: OrgData,
  text: string,
  options: SourceOptions = {},
): SourceBlock[] {
  const lines = options.lines ?? new LineIndex(text)
  const { places, keywords } = findBlocks(tree)
  const properties = fileProperties(propertyLines(keywords, options.readFile, new Set()))
  const windows = hasWindowsLines(text)
  const book: Document = { text, lines, properties, windows, inherited: new Map() }
  const wanted = options.bare ? places : places.filter(({ node }) => node.language !== null)
  return wanted.map((place) => sourceBlock(place, book))
}

type Chain = readonly (OrgData | Headline)[]

interface Document {
  text: string
  lines: LineIndex
  properties: FileProperties
  windows: boolean
  /** What blocks of a language inherit under a headline. */
  inherited: Map<OrgData | Headline, Map<string | null, HeaderArgument[]>>
}

interface Place {
  node: SrcBlock
  number: number
  chain: Chain
}

const closed = new Set([
  'paragraph',
  'table',
  'verse-block',
  'src-block',
  'keyword',
  'node-property',
])

function findBlocks(tree: OrgData): { places: Place[]; keywords: Keyword[] } {
  const places: Place[] = []
  const keywords: Keyword[] = []
  const stack: { node: Section | Headline; chain: Chain }[] = []
  const push = (children: readonly (Section | Headline)[], chain: Chain) => {
    for (const node of [...children].reverse()) stack.push({ node, chain })
  }
  push(tree.children, [tree])
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, chain } = next
    if (node.type === 'headline') push(node.children, [...chain, node])
    else {
      let number = 0
      walk(node, (inner) => {
        if (inner.type === 'keyword') keywords.push(inner)
        if (inner.type === 'src-block') places.push({ node: inner, number: ++number, chain })
        return !closed.has(inner.type)
      })
    }
  }
  return { places, keywords }
}

function hasWindowsLines(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text)
}

function propertyLines(
  keywords: readonly Keyword[],
  readFile: ReadFile | undefined,
  seen: Set<string>,
  folder = '',
): string[] {
  return keywords.flatMap(({ key, value }) => {
    if (key === 'PROPERTY') return [value]
    const named = unquoteValue(value.trim())
    const path = /^[/~]/.test(named) ? named : folder + named
    if (key !== 'SETUPFILE' || seen.has(path)) return []
    seen.add(path)
    const text = readFile?.(path) ?? null
    if (text === null) return []
    const inside = path.slice(0, path.lastIndexOf('/') + 1)
    return propertyLines(findBlocks(parse(text)).keywords, readFile, seen, inside)
  })
}

function sourceBlock({ node, number, chain }: Place, book: Document): SourceBlock {
  const own = node.affiliated.filter(({ key }) => key === 'HEADER').map(({ value }) => value)
  const args = [
    ...inherited(chain, node.language, book),
    ...[node.parameters ?? '', ...own].flatMap(headerArguments),
  ]
  const line = book.lines.point(node.postAffiliated).line
  const code = blockCode(node, line, book)
  const above = chain.filter((entry) => entry.type === 'headline')
  return {
    node,
    name: node.name,
    language: node.language ?? '',
    args,
    headers: new Map(args.map(({ key, value }) => [key, unquoteValue(value ?? '')])),
    body: code.text,
    code,
    line,
    bodyLine: line + 1,
    headline: above.at(-1) ?? null,
    chain,
    properties: book.properties,
    number,
    commented: above.some(({ commentedp }) => commentedp),
    archived: above.some(({ archivedp }) => archivedp),
  }
}

function inherited(chain: Chain, language: string | null, book: Document): HeaderArgument[] {
  const place = chain.at(-1)!
  const known = book.inherited.get(place) ?? new Map<string | null, HeaderArgument[]>()
  book.inherited.set(place, known)
  const found = known.get(language) ?? inheritedArguments(chain, book.properties, language)
  known.set(language, found)
  return found
}

function blockCode(node: SrcBlock, line: number, book: Document): Mapped {
  const { lines, text } = book
  const closer = lines.lineAt(Math.max(node.endOffset - 1, 0)) - node.postBlank
  const begin = lines.starts[line]!
  let end = Math.max(lines.starts[closer]!, begin)
  if (end > begin) end -= book.windows ? 2 : 1
  const builder = new MapBuilder()
  builder.copy(text, begin, end, book.windows)
  const code = unescapeMapped(builder.finish())
  return node.preserveIndent ? code : dedent(code)
}
