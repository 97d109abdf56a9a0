import { parseBlock, parseDrawer, parseDynamicBlock, parseLatexEnvironment } from './blocks.ts'
import type { Above, ParseEnv } from './env.ts'
import { affiliatedProperties, closeElement, depthMax } from './env.ts'
import { collectAffiliated, parseBabelCall, parseKeyword } from './keyword.ts'
import {
  parseClock,
  parseComment,
  parseDiarySexp,
  parseFixedWidth,
  parseFootnote,
  parseRule,
} from './lesser.ts'
import { isBlankCode } from './lines.ts'
import { isItem, parseList } from './list.ts'
import type { OrgElement, Paragraph } from './nodes.ts'
import { parseObjects } from './objects.ts'
import { isTableElRule, parseTable } from './table.ts'

/** What a line begins, other than a paragraph. */
export type LineKind =
  | 'block'
  | 'dynamic-block'
  | 'drawer'
  | 'latex-environment'
  | 'babel-call'
  | 'keyword'
  | 'comment'
  | 'fixed-width'
  | 'table'
  | 'horizontal-rule'
  | 'item'
  | 'footnote-definition'
  | 'clock'
  | 'diary-sexp'

/** A kind, with the line that closes it where there must be one, else -1. */
export interface LineStart {
  kind: LineKind
  closer: number
}

/** What begins at a line within `[line, limit)`; null when the line is text. */
export function elementAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  const { text, lines } = env
  const first = lines.first[line]!
  const end = lines.ends[line]!
  const inFirstColumn = first === lines.starts[line]
  switch (text.charCodeAt(first)) {
    case 35: // #
      return hashAt(env, line, limit, first, end)
    case 58: // :
      return colonAt(env, line, limit, first, end)
    case 124: // |
      return plain('table')
    case 43: // +
      if (isTableElRule(text, first, end)) return plain('table')
      return isItem(env, line) ? plain('item') : null
    case 45: // -
      if (isRule(text, first, end)) return plain('horizontal-rule')
      return isItem(env, line) ? plain('item') : null
    case 42: // *
      return isItem(env, line) ? plain('item') : null
    case 91: // [
      if (!inFirstColumn) return null
      return footnotePattern.test(text.slice(first, end)) ? plain('footnote-definition') : null
    case 92: // \
      return latexAt(env, line, limit, first, end)
    case 37: // %
      return inFirstColumn && text.startsWith('%%(', first) ? plain('diary-sexp') : null
    case 67: // C
      return clockPattern.test(text.slice(first, end)) ? plain('clock') : null
    default:
      return isItem(env, line) ? plain('item') : null
  }
}

const footnotePattern = /^\[fn:[-_\p{L}\p{N}]+\]/u
const clockPattern = /^CLOCK:[ \t]*(?:\[|=>|$)/

function plain(kind: LineKind): LineStart {
  return { kind, closer: -1 }
}

function hashAt(
  env: ParseEnv,
  line: number,
  limit: number,
  first: number,
  end: number,
): LineStart | null {
  const { text } = env
  if (first + 1 === end || isBlankCode(text.charCodeAt(first + 1))) return plain('comment')
  if (text.charCodeAt(first + 1) !== 43) return null
  const word = nonBlankWord(text, first + 2, end)
  const lower = word.toLowerCase()
  if (lower.startsWith('begin_') && lower.length > 6) {
    const closer = env.closers.next(`#+end_${lower.slice(6)}`, line + 1, limit)
    if (closer !== -1 && env.depth < depthMax) return { kind: 'block', closer }
  } else if (lower === 'begin:' && text.slice(first + 8, end).trim() !== '') {
    const closer = env.closers.next('#+end:', line + 1, limit)
    if (closer !== -1 && env.depth < depthMax) return { kind: 'dynamic-block', closer }
  }
  if (word.lastIndexOf(':') < 1) return null
  return plain(lower.startsWith('call:') ? 'babel-call' : 'keyword')
}

/** The run of visible characters at an offset; bounded, since no name is that long. */
function nonBlankWord(text: string, from: number, end: number): string {
  let at = from
  const stop = Math.min(end, from + 1000)
  while (at < stop && !isBlankCode(text.charCodeAt(at))) at++
  return text.slice(from, at)
}

function colonAt(
  env: ParseEnv,
  line: number,
  limit: number,
  first: number,
  end: number,
): LineStart | null {
  const { text } = env
  if (first + 1 === end || isBlankCode(text.charCodeAt(first + 1))) return plain('fixed-width')
  if (env.depth >= depthMax) return null
  if (!drawerPattern.test(text.slice(first, Math.min(end, first + 1000)))) return null
  const closer = env.closers.next(':end:', line + 1, limit)
  return closer === -1 ? null : { kind: 'drawer', closer }
}

const drawerPattern = /^:[-_\p{L}\p{N}]+:[ \t\f]*$/u

function latexAt(
  env: ParseEnv,
  line: number,
  limit: number,
  first: number,
  end: number,
): LineStart | null {
  const match = latexPattern.exec(env.text.slice(first, Math.min(end, first + 1000)))
  if (match === null) return null
  // The environment may close on the line that opens it.
  const closer = env.closers.next(`\\end{${match[1]}}`, line, limit)
  return closer === -1 ? null : { kind: 'latex-environment', closer }
}

const latexPattern = /^\\begin\{([A-Za-z0-9*]+)\}/

function isRule(text: string, first: number, end: number): boolean {
  let at = first
  while (at < end && text.charCodeAt(at) === 45) at++
  if (at - first < 5) return false
  while (at < end && isBlankCode(text.charCodeAt(at))) at++
  return at === end
}

/** The elements on the lines `[line, limit)`; the first may begin at an offset inside its line. */
export function parseElements(
  env: ParseEnv,
  line: number,
  limit: number,
  begin: number = env.lines.starts[line]!,
): OrgElement[] {
  const elements: OrgElement[] = []
  const { lines } = env
  let at = line
  let offset = begin
  while (at < limit) {
    if (lines.isBlank(at)) {
      at++
      offset = lines.starts[at]!
      continue
    }
    const element = parseElement(env, at, limit, offset)
    elements.push(element)
    offset = element.position.end.offset
    at = offset === lines.starts[limit] ? limit : lines.lineAt(offset)
  }
  return elements
}

function parseElement(env: ParseEnv, line: number, limit: number, begin: number): OrgElement {
  const inside = begin > env.lines.starts[line]!
  const above = inside ? { begin, affiliated: [] } : collectAffiliated(env, line, limit)
  const own = above.affiliated.length === 0 ? line : line + above.affiliated.length
  const found = inside ? null : elementAt(env, own, limit)
  const isBare = found?.kind === 'comment' || found?.kind === 'clock'
  const start = isBare && above.affiliated.length > 0 ? null : found
  return start === null
    ? parseParagraph(env, above, own, limit, begin)
    : parseKind(env, above, own, limit, start)
}

function parseKind(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  start: LineStart,
): OrgElement {
  switch (start.kind) {
    case 'block':
      return parseBlock(env, above, line, start.closer, limit, parseElements)
    case 'dynamic-block':
      return parseDynamicBlock(env, above, line, start.closer, limit, parseElements)
    case 'drawer':
      return parseDrawer(env, above, line, start.closer, limit, parseElements)
    case 'latex-environment':
      return parseLatexEnvironment(env, above, line, start.closer, limit)
    case 'babel-call':
      return parseBabelCall(env, above, line, limit)
    case 'keyword':
      return parseKeyword(env, above, line, limit)
    case 'comment':
      return parseComment(env, above, line, limit)
    case 'fixed-width':
      return parseFixedWidth(env, above, line, limit)
    case 'table':
      return parseTable(env, above, line, limit)
    case 'horizontal-rule':
      return parseRule(env, above, line, limit)
    case 'item':
      return parseList(env, above, line, limit, elementAt, parseElements)
    case 'footnote-definition':
      return parseFootnote(env, above, line, limit, parseElements)
    case 'clock':
      return parseClock(env, line, limit)
    case 'diary-sexp':
      return parseDiarySexp(env, above, line, limit)
  }
}

function parseParagraph(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  begin: number,
): Paragraph {
  const { lines, text } = env
  let after = line + 1
  while (after < limit && !lines.isBlank(after) && elementAt(env, after, limit) === null) after++
  const contentsBegin = above.affiliated.length > 0 ? lines.starts[line]! : begin
  const contentsEnd = lines.starts[after]!
  return {
    type: 'paragraph',
    ...closeElement(env, above.begin, after, limit),
    ...affiliatedProperties(above, contentsBegin),
    contentsBegin,
    contentsEnd,
    children: parseObjects(text, contentsBegin, contentsEnd, 'paragraph', env),
  }
}
