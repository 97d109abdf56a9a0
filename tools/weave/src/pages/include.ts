import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, extname, join, posix, relative, resolve, sep } from 'node:path'
import {
  escapeCode,
  type Headline,
  headlines,
  type Keyword,
  type OrgContent,
  type OrgData,
  parse,
  plainText,
  property,
  walk,
} from 'org-ast'

/** A line of a document, and where it is from; `line` is 1-based. */
export interface SourceLine {
  text: string
  file: string
  line: number
}

/** Something wrong with a document, at its place. */
export interface Finding {
  file: string
  line: number
  message: string
}

/** What includes are read from, and what they leave behind. */
export interface Folder {
  /** The folder of documents; absolute. */
  root: string
  /** The documents as they are published, by absolute path. */
  texts: ReadonlyMap<string, string>
  findings: Finding[]
  /** Files that were taken in; absolute. */
  files: Set<string>
}

/** The lines of a text. */
export function linesOf(text: string, file: string): SourceLine[] {
  return text.split('\n').map((line, index) => ({ text: line, file, line: index + 1 }))
}

const linesMax = 200_000
const depthMax = 20

/** The lines with what they include. `way` is the files that led here. */
export function included(
  lines: readonly SourceLine[],
  folder: Folder,
  way: readonly string[] = lines[0] === undefined ? [] : [lines[0].file],
): SourceLine[] {
  const text = lines.map((line) => line.text).join('\n')
  if (!/^[ \t]*#\+include:/im.test(text)) return [...lines]
  const result: SourceLine[] = []
  let at = 0
  let level = 0
  const pass = (to: number) => {
    for (; at < to; at++) {
      level = /^\*+(?=[ \t])/.exec(lines[at]!.text)?.[0].length ?? level
      result.push(lines[at]!)
    }
  }
  for (const keyword of keywordsNamed('INCLUDE', text)) {
    const index = keyword.position.start.line - 1
    pass(index)
    const place = lines[index]!
    const taken = take(keyword, place, level, folder, way)
    if (typeof taken === 'string') folder.findings.push({ ...placeOf(place), message: taken })
    else if (result.length + taken.length > linesMax) {
      const message = `with this the document has more than ${linesMax} lines`
      folder.findings.push({ ...placeOf(place), message })
    } else result.push(...taken)
    at = index + 1
  }
  pass(lines.length)
  return result
}

function placeOf({ file, line }: SourceLine): { file: string; line: number } {
  return { file, line }
}

/** The keywords of this name in a text, those in examples apart. */
export function keywordsNamed(key: string, text: string): Keyword[] {
  const found: Keyword[] = []
  walk(parse(text), (node) => {
    if (node.type === 'keyword' && node.key === key) found.push(node)
    return node.type !== 'paragraph' && node.type !== 'table'
  })
  return found
}

interface Request {
  path: string
  search: string | null
  lines: readonly [number, number] | null
  level: number | null
  onlyContents: boolean
  /** The line that begins a block, such as `src sh`, or null. */
  block: string | null
}

function requestOf(value: string): Request | null {
  const [whole, quotedPath, bare] = /^"([^"]+)"|^(\S+)/.exec(value) ?? []
  if (whole === undefined) return null
  let rest = value.slice(whole.length)
  const option = (pattern: RegExp) => {
    const found = pattern.exec(rest)
    if (found !== null) rest = rest.replace(found[0], ' ')
    return found?.[1]
  }
  const lines = option(/:lines\s+"?(\d*-\d*)"?/)
  const level = option(/:minlevel\s+(\d+)/)
  const only = option(/:only-contents\s+(\S+)/)
  const [path = '', search = null] = (quotedPath ?? bare ?? '').split(/::(.*)/s)
  const [first, last] = lines?.split('-') ?? []
  const block = /^\s*(?:example|export\s+\S+|src\s+\S+)/i.test(rest) ? rest.trim() : null
  return {
    path: path.replace(/^file:/, ''),
    search,
    lines:
      lines === undefined ? null : [Number(first) || 1, Number(last) || Number.POSITIVE_INFINITY],
    level: level === undefined ? null : Number(level),
    onlyContents: only !== undefined && only !== 'nil',
    block,
  }
}

function take(
  { value }: Keyword,
  place: SourceLine,
  level: number,
  folder: Folder,
  way: readonly string[],
): SourceLine[] | string {
  const request = requestOf(value)
  if (request === null) return 'this includes no file'
  const file = resolve(dirname(place.file), request.path)
  if (request.block === null && way.includes(file)) {
    const names = [...way, file].map((one) => relative(folder.root, one))
    return `a document includes itself: ${names.join(' → ')}`
  }
  if (way.length > depthMax) return `includes go deeper than ${depthMax} files`
  const text = givenText(file, request.path, folder)
  if (typeof text !== 'string') return text.why
  folder.files.add(file)
  const lines = wanted(linesOf(text.replace(/\n$/, ''), file), text, request)
  if (typeof lines === 'string') return lines
  if (request.block !== null) return asBlock(lines, request.block, place)
  const inner = included(withoutEdges(lines), folder, [...way, file])
  return moved(inner, request.level ?? level + 1, dirname(file), dirname(way[0]!), folder)
}

function asBlock(lines: readonly SourceLine[], block: string, place: SourceLine): SourceLine[] {
  const kind = /^\w+/.exec(block)![0]
  const inside = lines.map((line) => ({ ...line, text: escapeCode(line.text) }))
  const edge = (text: string) => ({ ...place, text })
  return [edge(`#+begin_${block}`), ...inside, edge(`#+end_${kind}`)]
}

function withoutEdges(lines: readonly SourceLine[]): SourceLine[] {
  const isFilled = ({ text }: SourceLine) => text.trim() !== ''
  return lines.slice(lines.findIndex(isFilled), lines.findLastIndex(isFilled) + 1)
}

const bytesMax = 2_000_000

/** The text of a file that a document asks for by this name, or why it cannot have it. */
export function givenText(
  file: string,
  name: string,
  { root, texts }: Pick<Folder, 'root' | 'texts'>,
): string | { why: string } {
  if (/^[a-z]+:\/\//i.test(name)) return { why: `${name} would have to be fetched` }
  const known = texts.get(file)
  if (known !== undefined) return known
  const inside = relative(root, file)
  if (inside.startsWith('..') || inside === '') return { why: `${name} is outside of the folder` }
  if (/(?:^|[/\\])\./.test(inside)) return { why: `${name} is a hidden file` }
  if (!existsSync(file)) return { why: `there is no ${name}` }
  if (extname(file) === '.org') return { why: `${name} is not published` }
  const real = relative(realpathSync(root), realpathSync(file))
  if (real.startsWith('..') || real !== join(inside))
    return { why: `${name} leads out of its folder` }
  const { size } = statSync(file)
  if (!statSync(file).isFile() || size > bytesMax) return { why: `${name} is too large` }
  return readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
}

function wanted(
  lines: readonly SourceLine[],
  text: string,
  { search, lines: range, onlyContents, path }: Request,
): SourceLine[] | string {
  const part = search === null ? [0, lines.length] : partOf(parse(text), search, onlyContents)
  if (part === null) return `${path} has no ${search}`
  const found = lines.slice(part[0], part[1])
  return range === null ? found : found.slice(range[0] - 1, range[1] - 1)
}

function partOf(tree: OrgData, search: string, onlyContents: boolean): [number, number] | null {
  const node = headingOf(tree, search) ?? elementOf(tree, search)
  if (node === null) return null
  const { start, end } = node.position
  const last = end.column === 1 ? end.line - 1 : end.line
  if (!onlyContents) return [start.line - 1, last]
  if (node.type === 'headline') return [bodyLine(node) - 1, last]
  return [start.line, last - 1]
}

function bodyLine({ position, children }: Headline): number {
  const [section] = children
  if (section?.type !== 'section') return section?.position.start.line ?? position.end.line
  const body = section.children.find(
    ({ type }) => type !== 'planning' && type !== 'property-drawer',
  )
  return body?.position.start.line ?? section.position.end.line
}

function headingOf(tree: OrgData, search: string): Headline | null {
  const words = search.replace(/^\*/, '').trim()
  for (const headline of headlines(tree)) {
    if (search.startsWith('#') && property(headline, 'CUSTOM_ID') === search.slice(1))
      return headline
    if (!search.startsWith('#') && plainText(headline.title).trim() === words) return headline
  }
  return null
}

function elementOf(tree: OrgData, search: string): OrgContent | null {
  let found: OrgContent | null = null
  walk(tree, (node) => {
    if (found === null && 'name' in node && node.name === search) found = node as OrgContent
    return found === null
  })
  return found
}

function moved(
  lines: readonly SourceLine[],
  level: number,
  from: string,
  to: string,
  folder: Folder,
): SourceLine[] {
  const stars = lines.flatMap(({ text }) => /^\*+(?=[ \t])/.exec(text)?.[0].length ?? [])
  const shift = stars.length === 0 ? 0 : level - Math.min(...stars)
  const number = folder.files.size
  return lines.map((line) => {
    const text = line.text
      .replace(/^\*+(?=[ \t])/, (found) => '*'.repeat(Math.max(1, found.length + shift)))
      .replace(/\[fn:([-\w]+)/g, (_, label: string) => `[fn:${label}-${number}`)
      .replace(
        /\[\[(file:)?(\.{0,2}[^\]:[\\]*?\.\w+)(?=::|\])/g,
        (whole, kind = '', path: string) =>
          kind === '' && !path.startsWith('.') ? whole : `[[${kind}${counted(path, from, to)}`,
      )
    return text === line.text ? line : { ...line, text }
  })
}

function counted(path: string, from: string, to: string): string {
  if (path.startsWith('/') || from === to) return path
  const found = relative(to, resolve(from, path)).split(sep).join(posix.sep)
  return path.startsWith('.') && !found.startsWith('.') ? `./${found}` : found
}
