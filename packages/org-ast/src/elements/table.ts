import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { parseObjects } from '../objects/objects.ts'
import { lineText, skipBlanks, skipBlanksBack } from '../text/lines.ts'
import { type Table, TableCell, TableRow } from '../tree/nodes.ts'

/** True for a line that consists of plus signs and dashes only, as `+---+--+`. */
export function isTableElRule(env: ParseEnv, line: number): boolean {
  const { text, lines } = env
  const first = lines.first[line]!
  if (lines.marks[line] !== 43 || text[first + 1] !== '-') return false
  return /^\+(?:-+\+)+[ \t]*$/.test(lineText(lines, line))
}

/** True when a table of either kind begins at a line. */
export function isTable(env: ParseEnv, line: number, limit: number): boolean {
  if (env.lines.marks[line] === 124) return true
  if (!isTableElRule(env, line) || line + 1 >= limit) return false
  const after = tableElEnd(env, line, limit)
  return after > line + 1 && isTableElRule(env, after - 1)
}

function tableElEnd(env: ParseEnv, line: number, limit: number): number {
  const { walls } = env
  if (line < walls.begin || line >= walls.end) {
    const { marks, count } = env.lines
    walls.begin = line
    walls.end = line + 1
    while (walls.end < count && isWall(marks[walls.end])) walls.end++
  }
  return Math.min(walls.end, limit)
}

function isWall(mark: number | undefined): boolean {
  return mark === 124 || mark === 43
}

/** Parses either kind of table. */
export function parseTable(env: ParseEnv, above: Above, line: number, limit: number): Table {
  const { text, lines } = env
  const start = lines.starts[line]!
  const isOrg = lines.marks[line] === 124
  const children: TableRow[] = []
  let after = line
  if (isOrg)
    while (after < limit && lines.marks[after] === 124) children.push(parseRow(env, after++))
  else after = tableElEnd(env, line, limit)
  const contentsEnd = lines.starts[after]!
  const tblfm: string[] = []
  for (; after < limit; after++) {
    const formula = formulaAt(env, after)
    if (formula === null) break
    tblfm.unshift(formula)
  }
  const table = frame(env, 'table', above, line, after, limit)
  if (isOrg) table.contain(start, contentsEnd)
  table.tableType = isOrg ? 'org' : 'table.el'
  table.tblfm = tblfm
  table.value = isOrg ? null : text.slice(start, contentsEnd)
  table.children = children.slice()
  return table
}

function formulaAt(env: ParseEnv, line: number): string | null {
  const { lines } = env
  if (lines.marks[line] !== 35) return null
  return /^#\+tblfm: +(.*)$/is.exec(lineText(lines, line))?.[1] ?? null
}

function parseRow(env: ParseEnv, line: number): TableRow {
  const { text, lines } = env
  const first = lines.first[line]!
  const end = skipBlanksBack(text, lines.ends[line]!, first)
  const rule = text[first + 1] === '-'
  const row = new TableRow('table-row', env.origin, lines.starts[line]!, lines.starts[line + 1]!)
  row.rowType = rule ? 'rule' : 'standard'
  if (!rule) row.contain(first + 1, end)
  row.children = rule ? [] : parseCells(env, first + 1, end)
  return row
}

function parseCells(env: ParseEnv, from: number, end: number): TableCell[] {
  const { text } = env
  const cells: TableCell[] = []
  let begin = from
  while (begin < end) {
    let stop = begin
    while (stop < end && text.charCodeAt(stop) !== 124) stop++
    const contentsBegin = skipBlanks(text, begin, stop)
    const contentsEnd = skipBlanksBack(text, stop, contentsBegin)
    const cell = new TableCell('table-cell', env.origin, begin, Math.min(stop + 1, end))
    cell.contain(contentsBegin, contentsEnd)
    cell.children = parseObjects(env, contentsBegin, contentsEnd, 'table-cell')
    cells.push(cell)
    begin = stop + 1
  }
  return cells.slice()
}
