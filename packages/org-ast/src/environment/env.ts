import { LineIndex } from '../text/lines.ts'
import { Origin, Run } from '../text/origin.ts'
import { OrgContainer, type OrgNode } from '../tree/base-node.ts'
import type { AffiliatedKeyword, AffiliatedNode } from '../tree/lesser-elements.ts'
import type { OrgElement } from '../tree/nodes.ts'
import { Closers } from './closers.ts'

/** Greater elements nested deeper than this are not opened any more. */
export const depthMax = 200

/** What a parser of one construct works with. One value serves one document. */
export interface ParseEnv {
  text: string
  lines: LineIndex
  /** The origin of the nodes that are made now; each headline and each section brings a new one. */
  origin: Origin
  closers: Closers
  /** Reads what is inside of an element. */
  elements: ParseElements
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

/** An item as the first pass over a list sees it. */
export interface Row {
  line: number
  indent: number
  /** The line after the item's last one. */
  after: number
}

/** Two lines or two offsets, the second behind the last of what is meant. */
interface Span {
  begin: number
  end: number
}

/**
 * Reads the elements on the lines `[line, limit)`. With `begin` the first one begins there, which
 * may be inside its line; a blank line is then a paragraph.
 */
export type ParseElements = (
  env: ParseEnv,
  line: number,
  limit: number,
  begin?: number,
) => OrgElement[]

/** For a text that has no elements in it. */
export const noElements: ParseElements = () => []

/** Makes an environment with nothing declared. */
export function createEnv(text: string, elements: ParseElements): ParseEnv {
  const lines = new LineIndex(text)
  return {
    text,
    lines,
    origin: new Origin(lines, 0, text.length, new Run()),
    closers: new Closers(lines),
    elements,
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
