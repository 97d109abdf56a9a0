import type { LineStart } from './elements.ts'
import type { Above, ParseEnv, ParseLines } from './env.ts'
import { affiliatedProperties, closeElement, depthMax } from './env.ts'
import { isBlankCode } from './lines.ts'
import type { Item, OrgElement, OrgObject, PlainList } from './nodes.ts'
import { parseObjects } from './objects.ts'

/** True when a line begins with a bullet. */
export function isItem(env: ParseEnv, line: number): boolean {
  return bulletEnd(env, line, env.lines.first[line]!) !== -1
}

/** The offset past a bullet at `at`, without the space after it; -1 when there is none. */
function bulletEnd(env: ParseEnv, line: number, at: number): number {
  const { text, lines } = env
  const end = lines.ends[line]!
  const code = text.charCodeAt(at)
  let after = -1
  if (code === 45 || code === 43) after = at + 1
  else if (code === 42 && at > lines.starts[line]!) after = at + 1
  else if (code >= 48 && code <= 57) {
    let digit = at + 1
    while (digit < end && isDigit(text.charCodeAt(digit))) digit++
    const mark = text.charCodeAt(digit)
    if (digit < end && (mark === 46 || mark === 41)) after = digit + 1
  }
  if (after === -1) return -1
  return after === end || isBlankCode(text.charCodeAt(after)) ? after : -1
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

interface Row {
  line: number
  indent: number
  /** The line after the item's last one. */
  after: number
}

function indentation(env: ParseEnv, line: number, to: number): number {
  const { text, lines } = env
  let column = 0
  for (let at = lines.starts[line]!; at < to; at++) {
    column = text.charCodeAt(at) === 9 ? (column | 7) + 1 : column + 1
  }
  return column
}

type ElementAt = (env: ParseEnv, line: number, limit: number) => LineStart | null

function readItems(env: ParseEnv, first: number, limit: number, elementAt: ElementAt): Row[] {
  const { lines } = env
  const rows: Row[] = []
  const open: Row[] = []
  let visible = first // the line after the last one that is not blank
  let line = first
  while (line < limit) {
    if (lines.isBlank(line)) {
      if (line + 1 < limit && lines.isBlank(line + 1)) break
      line++
      continue
    }
    const bullet = lines.first[line]!
    const indent = indentation(env, line, bullet)
    const item = bulletEnd(env, line, bullet) !== -1
    while (open.length > 0 && indent <= open.at(-1)!.indent) {
      open.pop()!.after = item ? line : visible
    }
    if (item) {
      const row = { line, indent, after: -1 }
      rows.push(row)
      open.push(row)
      line++
    } else {
      if (open.length === 0) break
      line = skipElement(env, line, limit, elementAt)
    }
    visible = line
  }
  for (const row of open) row.after = visible
  return rows
}

/** The line after a block or a drawer, or after one line of anything else. */
function skipElement(env: ParseEnv, line: number, limit: number, elementAt: ElementAt): number {
  const code = env.text.charCodeAt(env.lines.first[line]!)
  if (code !== 35 && code !== 58) return line + 1
  const start = elementAt(env, line, limit)
  return start === null || start.closer === -1 ? line + 1 : start.closer + 1
}

/** Parses a list that begins at a line. */
export function parseList(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  elementAt: ElementAt,
  parseLines: ParseLines,
): OrgElement {
  const start = env.lines.starts[line]!
  const rows = readItems(env, line, limit, elementAt)
  const indent = rows[0]!.indent
  const children: Item[] = []
  let after = line
  for (const row of rows) {
    if (row.indent !== indent || (children.length > 0 && row.line !== after)) continue
    children.push(parseItem(env, row, parseLines))
    after = row.after
  }
  const contentsEnd = children.at(-1)!.position.end.offset
  return {
    type: 'plain-list',
    ...closeElement(env, above.begin, after, limit),
    ...affiliatedProperties(above, start),
    contentsBegin: start,
    contentsEnd,
    listType: listType(children[0]!),
    children,
  }
}

function listType(item: Item): PlainList['listType'] {
  if (/\d/.test(item.bullet)) return 'ordered'
  return item.tag === null ? 'unordered' : 'descriptive'
}

const detailPattern =
  /^([ \t]*)(?:\[@(?:start:)?(\d+|[A-Za-z])\][ \t]*)?(?:(\[[ X-]\])(?=[ \t]|$)[ \t]*)?/
const tagPattern = /^(.*?)[ \t]+::(?=[ \t]|$)[ \t]*/

function parseItem(env: ParseEnv, row: Row, parseLines: ParseLines): Item {
  const { text, lines } = env
  const end = lines.ends[row.line]!
  const bulletBegin = lines.first[row.line]!
  const bulletAfter = bulletEnd(env, row.line, bulletBegin)
  const detail = detailPattern.exec(text.slice(bulletAfter, end))!
  const ordered = /\d/.test(text[bulletBegin]!)
  let at = bulletAfter + detail[0].length
  let tag: OrgObject[] | null = null
  const term = ordered ? null : tagPattern.exec(text.slice(at, end))
  if (term !== null) {
    tag = parseObjects(text, at, at + term[1]!.length, 'item', env)
    at += term[0].length
  }
  const contents = itemContents(env, row, at, parseLines)
  return {
    type: 'item',
    position: lines.position(lines.starts[row.line]!, lines.starts[row.after]!),
    postBlank: blankBefore(env, row),
    ...contents,
    bullet: text.slice(bulletBegin, bulletAfter) + detail[1]!,
    counter: counterValue(detail[2]),
    checkbox: checkboxValue(detail[3]),
    tag,
  }
}

function counterValue(text: string | undefined): number | null {
  if (text === undefined) return null
  return /\d/.test(text) ? Number(text) : text.toUpperCase().charCodeAt(0) - 64
}

function checkboxValue(text: string | undefined): Item['checkbox'] {
  if (text === undefined) return null
  return text === '[X]' ? 'on' : text === '[ ]' ? 'off' : 'trans'
}

/** Blank lines at the end of an item's own lines. */
function blankBefore(env: ParseEnv, row: Row): number {
  let line = row.after
  while (line - 1 > row.line && env.lines.isBlank(line - 1)) line--
  return row.after - line
}

type ItemContents = Pick<Item, 'contentsBegin' | 'contentsEnd' | 'preBlank' | 'children'>

function itemContents(env: ParseEnv, row: Row, at: number, parseLines: ParseLines): ItemContents {
  const { lines } = env
  let line = row.line
  let begin = at
  if (at >= lines.ends[line]!) {
    do line++
    while (line < row.after && lines.isBlank(line))
    begin = lines.starts[Math.min(line, lines.count)]!
  }
  if (line >= row.after || env.depth >= depthMax) {
    return { contentsBegin: null, contentsEnd: null, preBlank: 0, children: [] }
  }
  env.depth++
  const children = parseLines(env, line, row.after, begin)
  env.depth--
  return {
    contentsBegin: begin,
    contentsEnd: lines.starts[row.after - blankBefore(env, row)]!,
    preBlank: line > row.line ? line - row.line - 1 : 0,
    children,
  }
}
