import type { Row } from '../elements/list.ts'
import { trim } from '../text/characters.ts'
import { LineIndex, skipBlanksBack } from '../text/lines.ts'
import { Origin, Run } from '../text/origin.ts'
import {
  type AffiliatedKeyword,
  type AffiliatedNode,
  OrgContainer,
  type OrgContent,
  type OrgElement,
  type OrgNode,
} from '../tree/nodes.ts'

/** Greater elements nested deeper than this are not opened any more. */
export const depthMax = 200

/** What a parser of one construct works with. One value serves one document. */
export interface ParseEnv {
  text: string
  lines: LineIndex
  /** The origin of the nodes that are made now; each headline and each section brings a new one. */
  origin: Origin
  closers: Closers
  /** Keywords that mean "not done", in the order of the file. */
  todoKeywords: readonly string[]
  /** Keywords that mean "done". */
  doneKeywords: readonly string[]
  /** What each keyword means. */
  keywords: ReadonlyMap<string, 'todo' | 'done'>
  /** The text of every radio target that was read so far. */
  radioTargets: Set<string>
  /** Matches the text of any radio target, or null without targets. */
  radios: RegExp | null
  /** `#+link:` abbreviations: name to replacement. */
  linkAbbreviations: ReadonlyMap<string, string>
  /** Stars from which on a headline is an inlinetask; infinite when there are none. */
  inlinetaskLevel: number
  /** Only headlines and what belongs to their lines are read. */
  isOutline: boolean
  /** How many greater elements are open. */
  depth: number
  /** The items of the outermost list that is open, and the line at which the innermost one ends. */
  items: { rows: readonly Row[]; limit: number }
  /** Before these offsets, back to a line's start, nothing closes a date or a diary timestamp. */
  unclosed: { date: number; diary: number }
  /** The lines before this one, back to a gap, are affiliated keywords of nothing; -1 for none. */
  orphansUntil: number
  /** The lines that were last seen to begin with bars and plus signs, as in drawn tables. */
  walls: Span
  /** The text that was last read as a language or as a name behind `src_` or `call_`. */
  names: { src: Span; call: Span }
}

/** Two lines or two offsets, the second behind the last of what is meant. */
interface Span {
  begin: number
  end: number
}

/** Makes an environment with nothing declared. */
export function createEnv(text: string): ParseEnv {
  const lines = new LineIndex(text)
  return {
    text,
    lines,
    origin: new Origin(lines, 0, text.length, new Run()),
    closers: new Closers(lines),
    todoKeywords: ['TODO'],
    doneKeywords: ['DONE'],
    keywords: keywordMap(['TODO'], ['DONE']),
    radioTargets: new Set(),
    radios: null,
    linkAbbreviations: new Map(),
    inlinetaskLevel: Number.POSITIVE_INFINITY,
    isOutline: false,
    depth: 0,
    items: { rows: [], limit: -1 },
    unclosed: { date: 0, diary: 0 },
    orphansUntil: -1,
    walls: nowhere(),
    names: { src: nowhere(), call: nowhere() },
  }
}

function nowhere(): Span {
  return { begin: 0, end: 0 }
}

/** What each of these keywords means; one that is in both lists is done. */
export function keywordMap(
  todo: readonly string[],
  done: readonly string[],
): Map<string, 'todo' | 'done'> {
  const keywords = new Map<string, 'todo' | 'done'>()
  for (const keyword of todo) keywords.set(keyword, 'todo')
  for (const keyword of done) keywords.set(keyword, 'done')
  return keywords
}

/** For each kind of closing line, where in the document it occurs. */
class Closers {
  readonly #lines: LineIndex
  #found: Map<string, number[]> | null = null

  constructor(lines: LineIndex) {
    this.#lines = lines
  }

  /**
   * The first line in `[from, limit)` that closes `key`, or -1.
   * Keys: `#+end_name`, `#+end:`, `:end:`, `\\end{name}`, in lower case.
   */
  next(key: string, from: number, limit: number): number {
    this.#found ??= collectClosers(this.#lines)
    const found = this.#found.get(key)
    if (found === undefined) return -1
    let low = 0
    let high = found.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (found[middle]! < from) low = middle + 1
      else high = middle
    }
    const line = found[low]
    return line !== undefined && line < limit ? line : -1
  }
}

function collectClosers(lines: LineIndex): Map<string, number[]> {
  const found = new Map<string, number[]>()
  const latex = lines.text.includes('\\end{') || lines.text.includes('\\END{')
  const { marks, count } = lines
  for (let line = 0; line < count; line++) {
    const mark = marks[line]!
    const own = mark === 35 || mark === 58 ? closerKey(lines, line) : null
    const key = own ?? (latex ? latexKey(lines, line) : null)
    if (key === null) continue
    const list = found.get(key)
    if (list === undefined) found.set(key, [line])
    else list.push(line)
  }
  return found
}

function closerKey(lines: LineIndex, line: number): string | null {
  const { text } = lines
  const first = lines.first[line]!
  const end = lines.ends[line]!
  const colon = text[first] === ':'
  if ((text.charCodeAt(first + (colon ? 1 : 2)) | 32) !== 101) return null
  const key = trim(text.slice(first, Math.min(end, first + 200))).toLowerCase()
  if (colon) return key === ':end:' ? key : null
  if (key === '#+end') return '#+end:'
  return key.startsWith('#+end_') || key === '#+end:' ? key : null
}

function latexKey(lines: LineIndex, line: number): string | null {
  const { text } = lines
  const end = skipBlanksBack(text, lines.ends[line]!, lines.first[line]!)
  if (text[end - 1] !== '}') return null
  const content = text.slice(lines.first[line], end).toLowerCase()
  const open = content.lastIndexOf('\\end{')
  return open === -1 ? null : content.slice(open)
}

/** The first line in `[line, limit)` that is not blank, or `limit`. */
export function skipBlankLines(env: ParseEnv, line: number, limit: number): number {
  let at = line
  while (at < limit && env.lines.isBlank(at)) at++
  return at
}

/** `after`, or the line before it from which on all are blank; at least the one behind `line`. */
export function withoutBlankLines(env: ParseEnv, line: number, after: number): number {
  let last = after - 1
  while (last > line && env.lines.isBlank(last)) last--
  return last + 1
}

/** Ends an element whose last own line is the one before `after`. */
export function closeElement(env: ParseEnv, node: OrgNode, after: number, limit: number): void {
  const next = skipBlankLines(env, after, limit)
  node.endAt(env.lines.starts[next]!, next - after)
}

/** What stands above an element: where it all begins, and the keywords. */
export interface Above {
  begin: number
  affiliated: readonly AffiliatedKeyword[]
}

/** An element with nothing above it. */
export function bare(begin: number): Above {
  return { begin, affiliated: none }
}

const none: readonly AffiliatedKeyword[] = Object.freeze([])

/** An element that may have keywords above it. */
type Framed = Extract<OrgElement, AffiliatedNode>

/**
 * An element with what every element has: its keywords, where it begins itself, and its end, with
 * `line` as its first own line and `after` as the one behind its last.
 */
export function frame<Type extends Framed['type']>(
  env: ParseEnv,
  type: Type,
  above: Above,
  line: number,
  after: number,
  limit: number,
): Extract<Framed, { type: Type }> {
  const node = new OrgContainer(type, env.origin, above.begin) as Framed
  node.affiliated = above.affiliated
  node.name = null
  if (above.affiliated !== none) {
    node.affiliate(env.lines.starts[line]!)
    for (const keyword of above.affiliated) if (keyword.key === 'NAME') node.name = keyword.value
  }
  closeElement(env, node, after, limit)
  return node as Extract<Framed, { type: Type }>
}

/** A parser of elements over lines, as greater elements need it for their contents. */
export type ParseLines = (
  env: ParseEnv,
  line: number,
  limit: number,
  begin?: number,
) => OrgContent[]
