import { type Above, bare, depthMax, type ParseEnv } from '../environment/env.ts'
import { isSpaceCode } from '../text/characters.ts'
import { lineText } from '../text/lines.ts'
import type { OrgElement } from '../tree/nodes.ts'
import { collectAffiliated } from './affiliated.ts'
import { parseBabelCall } from './babel-call.ts'
import { isClock, parseClock } from './clock.ts'
import { isComment, parseComment } from './comment.ts'
import { parseCommentBlock } from './comment-block.ts'
import { parseDiarySexp } from './diary-sexp.ts'
import { isDrawerLine, parseDrawer } from './drawer.ts'
import { parseDynamicBlock } from './dynamic-block.ts'
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
import { bulletEnd, isItem, parseList } from './list.ts'
import { parseBlankStart, parseParagraph } from './paragraph.ts'
import { parseSrcBlock } from './src-block.ts'
import { isTable, isTableElRule, parseTable } from './table.ts'
import { parseVerseBlock } from './verse-block.ts'

/** Parses the element that begins at a line; `closer` is -1 where no line closes it. */
type ParseElement = (
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
) => OrgElement

/** What a line begins, other than a paragraph. */
interface LineStart {
  parse: ParseElement
  closer: number
}

function start(parse: ParseElement): LineStart {
  return { parse, closer: -1 }
}

const comment = start((env, _above, line, limit) => parseComment(env, line, limit))
const keyword = start(parseKeyword)
const babelCall = start(parseBabelCall)
const fixedWidth = start(parseFixedWidth)
const table = start(parseTable)
const rule = start(parseRule)
const item = start(parseList)
const footnote = start(parseFootnoteDefinition)
const clock = start((env, _above, line, limit) => parseClock(env, line, limit))
const diary = start(parseDiarySexp)
const inlinetask = start((env, _above, line, limit) => parseInlinetask(env, line, limit))

/** What begins at a line within `[line, limit)`; null when the line is text. */
function elementAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  const { lines } = env
  switch (lines.marks[line]) {
    case 35: // #
      return hashAt(env, line, limit)
    case 58: // :
      return colonAt(env, line, limit)
    case 124: // |
      return table
    case 43: // +
      if (isTable(env, line, limit)) return table
      return isItem(env, line) ? item : null
    case 45: // -
      if (isRule(env, line)) return rule
      return isItem(env, line) ? item : null
    case 42: // *
      if (countStars(env, line) >= env.inlinetaskLevel) return inlinetask
      return isItem(env, line) ? item : null
    case 91: // [
      return isFootnoteDefinition(env, line) ? footnote : null
    case 92: // \
      return latexAt(env, line, limit)
    case 37: // %
      if (lines.first[line] !== lines.starts[line]) return null
      return env.text.startsWith('%%(', lines.starts[line]) ? diary : null
    case 67: // C
    case 99: // c
      return isClock(env, line) ? clock : null
    default:
      return isItem(env, line) ? item : null
  }
}

function hashAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  const { text, lines } = env
  if (isComment(env, line)) return comment
  const first = lines.first[line]!
  if (text[first + 1] !== '+') return null
  const word = nonBlankWord(text, first + 2, lines.ends[line]!)
  if ((word.charCodeAt(0) | 32) === 98) {
    const block = beginAt(env, word, line, limit)
    if (block !== undefined) return block
  }
  if (word.lastIndexOf(':') < 1) return null
  return (word.charCodeAt(0) | 32) === 99 && /^call:/i.test(word) ? babelCall : keyword
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
    return closer !== -1 && env.depth < depthMax ? { parse: parseBlock, closer } : null
  }
  if (!lower.startsWith('begin:')) return undefined
  const name = /^[ \t]*(.?)/su.exec(lineText(env.lines, line, '#+begin:'.length))![1]!
  if (name === '' || isSpaceCode(name.charCodeAt(0))) return undefined
  const closer = env.closers.next('#+end:', line + 1, limit)
  return closer !== -1 && env.depth < depthMax ? { parse: parseDynamicBlock, closer } : null
}

function colonAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  if (isFixedWidth(env, line)) return fixedWidth
  if (env.depth >= depthMax || !isDrawerLine(env, line)) return null
  const closer = env.closers.next(':end:', line + 1, limit)
  return closer === -1 ? null : { parse: parseDrawer, closer }
}

function latexAt(env: ParseEnv, line: number, limit: number): LineStart | null {
  const name = latexEnvironmentName(env, line)
  if (name === null) return null
  const closer = env.closers.next(`\\end{${name.toLowerCase()}}`, line, limit)
  return closer === -1 ? null : { parse: parseLatexEnvironment, closer }
}

function interrupts(env: ParseEnv, line: number, limit: number): boolean {
  const mark = env.lines.marks[line]
  if (mark === 35) return hashInterrupts(env, line, limit)
  if (elementAt(env, line, limit) !== null) return true
  return (mark === 43 && isTableElRule(env, line)) || (mark === 42 && bulletEnd(env, line) !== -1)
}

const dualPattern = /^#\+(\S+)\[.*\]:/s

function hashInterrupts(env: ParseEnv, line: number, limit: number): boolean {
  if (isComment(env, line)) return true
  const { text, lines } = env
  const first = lines.first[line]!
  if (text[first + 1] !== '+') return false
  const content = text.slice(first, Math.min(lines.ends[line]!, first + 1000))
  const block = /^#\+begin_(\S+)/i.exec(content)
  if (block !== null) {
    return env.closers.next(`#+end_${block[1]!.toLowerCase()}`, line + 1, limit) !== -1
  }
  const dual = dualPattern.exec(content)
  if (dual !== null) return /^(?:caption|results)$/i.test(dual[1]!)
  return /^#\+\S+:/.test(content)
}

/**
 * The elements on the lines `[line, limit)`. With `begin` the first one begins there, which may be
 * inside its line; a blank line is then a paragraph.
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
    const isBlank = lines.isBlank(at)
    if (isBlank && offset !== begin) {
      at++
      offset = lines.starts[at]!
      continue
    }
    const element = isBlank
      ? parseBlankStart(env, at, limit, interrupts)
      : parseElement(env, at, limit, offset)
    elements.push(element)
    offset = element.endOffset
    at = offset === lines.starts[limit] ? limit : lines.lineAt(offset)
  }
  return elements.slice()
}

function parseElement(env: ParseEnv, line: number, limit: number, begin: number): OrgElement {
  const { lines } = env
  if (begin > lines.starts[line]!)
    return parseParagraph(env, bare(begin), line, limit, begin, interrupts)
  const mark = lines.marks[line]
  const above = mark === 35 ? collectAffiliated(env, line, limit) : bare(begin)
  const own = line + above.affiliated.length
  const start = elementAt(env, own, limit)
  return start === null
    ? parseParagraph(env, above, own, limit, lines.starts[own]!, interrupts)
    : start.parse(env, above, own, limit, start.closer)
}

function parseBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): OrgElement {
  const { text, lines } = env
  const begin = lines.first[line]! + '#+begin_'.length
  const name = nonBlankWord(text, begin, lines.ends[line]!)
  switch (name.toLowerCase()) {
    case 'src':
      return parseSrcBlock(env, above, line, limit, closer)
    case 'example':
      return parseExampleBlock(env, above, line, limit, closer)
    case 'export':
      return parseExportBlock(env, above, line, limit, closer)
    case 'comment':
      return parseCommentBlock(env, above, line, limit, closer)
    case 'verse':
      return parseVerseBlock(env, above, line, limit, closer)
    default:
      return parseGreaterBlock(env, above, line, limit, closer, name)
  }
}
