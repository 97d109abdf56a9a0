import {
  type Above,
  depthMax,
  frame,
  type ParseEnv,
  type Row,
  withoutBlankLines,
} from '../environment/env.ts'
import { parseObjects } from '../objects/objects.ts'
import { isBlankCode, lastAtMost, lineText, skipBlanks } from '../text/lines.ts'
import { Item, type PlainList } from '../tree/nodes.ts'
import { isDrawerLine } from './drawer.ts'

/** True when a line begins with a bullet. */
export function isItem(env: ParseEnv, line: number): boolean {
  const { lines } = env
  if (lines.marks[line] === 42 && lines.first[line] === lines.starts[line]) return false
  return bulletEnd(env, line) !== -1
}

/** The offset past a line's bullet, without the space after it; -1 when there is none. */
export function bulletEnd(env: ParseEnv, line: number): number {
  const { text, lines } = env
  const mark = lines.marks[line]!
  const at = lines.first[line]!
  const end = lines.ends[line]!
  let after = -1
  if (mark === 45 || mark === 43 || mark === 42) after = at + 1
  else if (isDigit(mark)) {
    let digit = at + 1
    while (digit < end && isDigit(text.charCodeAt(digit))) digit++
    const punctuation = text.charCodeAt(digit)
    if (digit < end && (punctuation === 46 || punctuation === 41)) after = digit + 1
  }
  if (after === -1) return -1
  return after === end || isBlankCode(text.charCodeAt(after)) ? after : -1
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function indentation(env: ParseEnv, line: number): number {
  const { text, lines } = env
  let column = 0
  for (let at = lines.starts[line]!; at < lines.first[line]!; at++) {
    column += text.charCodeAt(at) === 9 ? 8 : 1
  }
  return column
}

function readItems(env: ParseEnv, first: number, limit: number): Row[] {
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
    const item = isItem(env, line)
    const indent = indentation(env, line)
    while (open.length > 0 && indent <= open[open.length - 1]!.indent) {
      open.pop()!.after = item ? line : visible
    }
    if (item) {
      const row = { line, indent, after: -1 }
      rows.push(row)
      open.push(row)
      line++
    } else {
      if (open.length === 0) break
      line = skipElement(env, line, limit)
    }
    visible = line
  }
  for (const row of open) row.after = visible
  return rows
}

/** The line after a block or a drawer, or after one line of anything else. */
function skipElement(env: ParseEnv, line: number, limit: number): number {
  const { lines } = env
  const mark = lines.marks[line]
  if (mark !== 35 && mark !== 58) return line + 1
  const content = lineText(lines, line).toLowerCase()
  const block = /^#\+begin(:|_\S+)/.exec(content)
  const drawer = block === null && isDrawerLine(env, line)
  if (block === null && (!drawer || content.startsWith(':end:'))) return line + 1
  const closer = env.closers.next(drawer ? ':end:' : `#+end${block![1]}`, line + 1, limit)
  return closer === -1 ? line + 1 : closer + 1
}

function rowAt(rows: readonly Row[], line: number): Row {
  return rows[lastAtMost(rows.length, line, (at) => rows[at]!.line)]!
}

/** Parses a list that begins at a line. */
export function parseList(env: ParseEnv, above: Above, line: number, limit: number): PlainList {
  const { starts } = env.lines
  const around = env.items
  if (around.limit !== limit || rowAt(around.rows, line).line !== line) {
    env.items = { rows: readItems(env, line, limit), limit }
  }
  const { rows } = env.items
  const own: Row[] = []
  const { indent } = rowAt(rows, line)
  let after = line
  for (let row = rowAt(rows, line); row.line === after && row.indent === indent; ) {
    own.push(row)
    after = row.after
    row = rowAt(rows, after)
  }
  const last = withoutBlankLines(env, line, after)
  own[own.length - 1]!.after = last
  const children = own.map((row) => parseItem(env, row))
  env.items = around
  const list = frame(env, 'plain-list', above, line, last, limit)
  list.contain(starts[line]!, starts[last]!)
  list.listType = listType(children[0]!)
  list.children = children
  return list
}

function listType(item: Item): PlainList['listType'] {
  if (isDigit(item.bullet.charCodeAt(0))) return 'ordered'
  return item.tag === null ? 'unordered' : 'descriptive'
}

const detailPattern = /(?:\[@(?:start:)?(\d+|[A-Za-z])\][ \t]*)?(?:(\[[ Xx-]\])(?:[ \t]+|$))?/y
const tagPattern = /^(.*)[ \t]+::(?:[ \t]+|$)/s

function matchDetail(rest: string): RegExpExecArray | null {
  detailPattern.lastIndex = 0
  return detailPattern.exec(rest)
}

function parseItem(env: ParseEnv, row: Row): Item {
  const { text, lines } = env
  const end = lines.ends[row.line]!
  const bulletBegin = lines.first[row.line]!
  const bulletAfter = bulletEnd(env, row.line)
  const visible = skipBlanks(text, bulletAfter, end)
  const detail = text[visible] === '[' ? matchDetail(text.slice(visible, end)) : null
  const begin = visible + (detail?.[0].length ?? 0)
  const ordered = isDigit(text.charCodeAt(bulletBegin))
  const rest = text.slice(begin, end)
  const term = ordered || !rest.includes('::') ? null : tagPattern.exec(rest)
  const item = new Item('item', env.origin, lines.starts[row.line]!, lines.starts[row.after]!)
  item.bullet = text.slice(bulletBegin, visible)
  item.counter = counterValue(detail?.[1])
  item.checkbox = checkboxValue(detail?.[2])
  item.tag = term === null ? null : parseObjects(env, begin, begin + term[1]!.length, 'item')
  fillItem(env, item, row, begin + (term?.[0].length ?? 0))
  return item
}

function counterValue(text: string | undefined): number | null {
  if (text === undefined) return null
  return isDigit(text.charCodeAt(0)) ? Number(text) : text.toUpperCase().charCodeAt(0) - 64
}

function checkboxValue(text: string | undefined): Item['checkbox'] {
  if (text === '[X]') return 'on'
  if (text === '[ ]') return 'off'
  return text === '[-]' ? 'trans' : null
}

function fillItem(env: ParseEnv, item: Item, row: Row, at: number): void {
  const { text, lines } = env
  const after = withoutBlankLines(env, row.line, row.after)
  let line = row.line
  let begin = skipBlanks(text, at, lines.ends[line]!)
  if (begin >= lines.ends[line]!) {
    do line++
    while (line < after && lines.isBlank(line))
    begin = lines.starts[Math.min(line, lines.count)]!
  }
  item.preBlank = 0
  item.children = []
  const end = lines.starts[row.after]!
  if (line >= after || env.depth >= depthMax) {
    item.endAt(end, row.after - row.line)
    return
  }
  item.endAt(end, row.after - after)
  item.contain(begin, lines.starts[after]!)
  item.preBlank = line - row.line
  const { items } = env
  const { limit } = items
  items.limit = after
  env.depth++
  item.children = env.elements(env, line, after, begin)
  env.depth--
  items.limit = limit
}
