import { collectAffiliated } from './affiliated.ts'
import { parseBabelCall } from './babel-call.ts'
import { isSpaceCode } from './characters.ts'
import { isClock, parseClock } from './clock.ts'
import { isComment, parseComment } from './comment.ts'
import { parseCommentBlock } from './comment-block.ts'
import { parseDiarySexp } from './diary-sexp.ts'
import { isDrawerLine, parseDrawer } from './drawer.ts'
import { parseDynamicBlock } from './dynamic-block.ts'
import type { Above, ParseEnv } from './env.ts'
import { bare, depthMax } from './env.ts'
import { parseExampleBlock } from './example-block.ts'
import { parseExportBlock } from './export-block.ts'
import { isFixedWidth, parseFixedWidth } from './fixed-width.ts'
import { isFootnoteDefinition, parseFootnoteDefinition } from './footnote-definition.ts'
import { parseGreaterBlock } from './greater-block.ts'
import { countStars } from './headline.ts'
import { isRule, parseRule } from './horizontal-rule.ts'
import { parseInlinetask } from './inlinetask.ts'
import { parseKeyword } from './keyword.ts'
import { latexEnvironmentName, parseLatexEnvironment } from './latex-environment.ts'
import { lineText } from './lines.ts'
import { isItem, parseList } from './list.ts'
import type { OrgElement } from './nodes.ts'
import { parseParagraph } from './paragraph.ts'
import { parseSrcBlock } from './src-block.ts'
import { isTable, parseTable } from './table.ts'
import { parseVerseBlock } from './verse-block.ts'

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
  | 'inlinetask'

/** A kind, with the line that closes it where there must be one, else -1. */
export interface LineStart {
  kind: LineKind
  closer: number
}

function plain(kind: LineKind): LineStart {
  return { kind, closer: -1 }
}

const starts = {
  comment: plain('comment'),
  keyword: plain('keyword'),
  babelCall: plain('babel-call'),
  fixedWidth: plain('fixed-width'),
  table: plain('table'),
  rule: plain('horizontal-rule'),
  item: plain('item'),
  footnote: plain('footnote-definition'),
  clock: plain('clock'),
  diary: plain('diary-sexp'),
  inlinetask: plain('inlinetask'),
}

/** What begins at a line within `[line, limit)`; null when the line is text. */
export function elementAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  const { lines } = env
  switch (lines.marks[line]) {
    case 35: // #
      return hashAt(env, line, limit)
    case 58: // :
      return colonAt(env, line, limit)
    case 124: // |
      return starts.table
    case 43: // +
      if (isTable(env, line, limit)) return starts.table
      return isItem(env, line) ? starts.item : null
    case 45: // -
      if (isRule(env, line)) return starts.rule
      return isItem(env, line) ? starts.item : null
    case 42: // *
      if (countStars(env, line) >= env.inlinetaskLevel) return starts.inlinetask
      return isItem(env, line) ? starts.item : null
    case 91: // [
      return isFootnoteDefinition(env, line) ? starts.footnote : null
    case 92: // \
      return latexAt(env, line, limit)
    case 37: // %
      if (lines.first[line] !== lines.starts[line]) return null
      return env.text.startsWith('%%(', lines.starts[line]) ? starts.diary : null
    case 67: // C
    case 99: // c
      return isClock(env, line) ? starts.clock : null
    default:
      return isItem(env, line) ? starts.item : null
  }
}

function hashAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  const { text, lines } = env
  if (isComment(env, line)) return starts.comment
  const first = lines.first[line]!
  if (text[first + 1] !== '+') return null
  const word = nonBlankWord(text, first + 2, lines.ends[line]!)
  if ((word.charCodeAt(0) | 32) === 98) {
    const block = beginAt(env, word, line, limit)
    if (block !== undefined) return block
  }
  if (word.lastIndexOf(':') < 1) return null
  return (word.charCodeAt(0) | 32) === 99 && /^call:/i.test(word)
    ? starts.babelCall
    : starts.keyword
}

/** The run of visible characters at an offset; bounded, since no name is that long. */
function nonBlankWord(text: string, from: number, end: number): string {
  let at = from
  const stop = Math.min(end, from + 1000)
  while (at < stop && !isSpaceCode(text.charCodeAt(at))) at++
  return text.slice(from, at)
}

/** What a word after `#+` opens; null for nothing, undefined when it is not such a word. */
function beginAt(
  env: ParseEnv,
  word: string,
  line: number,
  limit: number,
): LineStart | null | undefined {
  const lower = word.toLowerCase()
  if (lower.startsWith('begin_') && lower.length > 6) {
    const closer = env.closers.next(`#+end_${lower.slice(6)}`, line + 1, limit)
    return closer !== -1 && env.depth < depthMax ? { kind: 'block', closer } : null
  }
  if (!lower.startsWith('begin:')) return undefined
  const name = /^[ \t]*(.?)/su.exec(lineText(env.lines, line, '#+begin:'.length))![1]!
  if (name === '' || isSpaceCode(name.charCodeAt(0))) return undefined
  const closer = env.closers.next('#+end:', line + 1, limit)
  return closer !== -1 && env.depth < depthMax ? { kind: 'dynamic-block', closer } : null
}

function colonAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  if (isFixedWidth(env, line)) return starts.fixedWidth
  if (env.depth >= depthMax || !isDrawerLine(env, line)) return null
  const closer = env.closers.next(':end:', line + 1, limit)
  return closer === -1 ? null : { kind: 'drawer', closer }
}

function latexAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  const name = latexEnvironmentName(env, line)
  if (name === null) return null
  const closer = env.closers.next(`\\end{${name.toLowerCase()}}`, line, limit)
  return closer === -1 ? null : { kind: 'latex-environment', closer }
}

/**
 * The elements on the lines `[line, limit)`; the first may begin at an offset inside its line.
 */
export function parseElements(
  env: ParseEnv,
  line: number,
  limit: number,
  begin?: number,
): OrgElement[] {
  const elements: OrgElement[] = []
  const { lines } = env
  let at = line
  let offset = begin ?? lines.starts[line]!
  while (at < limit) {
    if (lines.isBlank(at)) {
      at++
      offset = lines.starts[at]!
      continue
    }
    const element = parseElement(env, at, limit, offset)
    elements.push(element)
    offset = element.endOffset
    at = offset === lines.starts[limit] ? limit : lines.lineAt(offset)
  }
  return elements.slice()
}

function parseElement(env: ParseEnv, line: number, limit: number, begin: number): OrgElement {
  const { lines } = env
  if (begin > lines.starts[line]!) return parseParagraph(env, bare(begin), line, limit, begin)
  const mark = lines.marks[line]
  const above = mark === 35 ? collectAffiliated(env, line, limit) : bare(begin)
  const own = line + above.affiliated.length
  const start = elementAt(env, own, limit)
  return start === null
    ? parseParagraph(env, above, own, limit, lines.starts[own]!)
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
      return parseBlock(env, above, line, start.closer, limit)
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
      return parseComment(env, line, limit)
    case 'fixed-width':
      return parseFixedWidth(env, above, line, limit)
    case 'table':
      return parseTable(env, above, line, limit)
    case 'horizontal-rule':
      return parseRule(env, above, line, limit)
    case 'item':
      return parseList(env, above, line, limit, parseElements)
    case 'footnote-definition':
      return parseFootnoteDefinition(env, above, line, limit, parseElements)
    case 'clock':
      return parseClock(env, line, limit)
    case 'diary-sexp':
      return parseDiarySexp(env, above, line, limit)
    case 'inlinetask':
      return parseInlinetask(env, line, limit, parseElements)
  }
}

function parseBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
): OrgElement {
  const { text, lines } = env
  const begin = lines.first[line]! + '#+begin_'.length
  const name = nonBlankWord(text, begin, lines.ends[line]!)
  switch (name.toLowerCase()) {
    case 'src':
      return parseSrcBlock(env, above, line, closer, limit)
    case 'example':
      return parseExampleBlock(env, above, line, closer, limit)
    case 'export':
      return parseExportBlock(env, above, line, closer, limit)
    case 'comment':
      return parseCommentBlock(env, above, line, closer, limit)
    case 'verse':
      return parseVerseBlock(env, above, line, closer, limit)
    default:
      return parseGreaterBlock(env, above, line, closer, limit, name, parseElements)
  }
}
