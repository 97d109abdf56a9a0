import { parse } from '../parse/parse.ts'
import { stringWidth } from '../text/columns.ts'
import type { Table, TableCell } from '../tree/nodes.ts'
import { walk } from '../tree/query.ts'
import type { Patch } from './edit.ts'
import { lineEnd, type NewLine, nextLine, rewriteLines, smallestPatch } from './lines.ts'

interface Cell {
  text: string
  width: number
}

interface Line {
  /** Where it begins; null for a line that an edit has added. */
  at: number | null
  /** The line as it is, without its line break. */
  raw: string
  /** Null for a rule. */
  cells: Cell[] | null
}

function linesOf(text: string, table: Table): Line[] {
  if (table.tableType !== 'org') throw new RangeError('A table.el table has no rows to edit')
  return table.children.map((row) => {
    const at = row.position.start.offset
    const cells = row.rowType === 'rule' ? null : cellsOf(text, row.children)
    return { at, raw: text.slice(at, lineEnd(text, at)), cells }
  })
}

function cellsOf(text: string, nodes: readonly TableCell[]): Cell[] {
  return nodes.map((cell) => ({
    text: text.slice(cell.contentsBegin!, cell.contentsEnd!),
    width: stringWidth(shown(text, cell)),
  }))
}

const emptyCell: Cell = { text: '', width: 0 }

/** A row, as an index into `table.children`, and a column, as an index into a row's cells. */
export interface TablePlace {
  row: number
  column: number
}

function checkRow(lines: readonly Line[], row: number): Line {
  const line = lines[row]
  if (line === undefined) throw new RangeError(`The table has no line ${row}`)
  return line
}

function checkColumn(lines: readonly Line[], column: number, limit = columnCount(lines)): void {
  if (!Number.isInteger(column) || column < 0 || column >= limit)
    throw new RangeError(`The table has no column ${column}`)
}

function columnCount(lines: readonly Line[]): number {
  const rows = lines.flatMap(({ cells }) => (cells === null ? [] : [cells.length]))
  if (rows.length > 0) return rows.reduce((most, count) => Math.max(most, count))
  return (lines[0]?.raw.split('+').length ?? 0) || 1
}

/** What Emacs shows of a cell. */
function shown(text: string, node: TableCell): string {
  const cell = text.slice(node.contentsBegin!, node.contentsEnd!)
  if (!cell.includes('[[')) return cell
  const literal = literalParts(node)
  let words = ''
  let at = 0
  let next = 0
  for (let open = cell.indexOf('[['); open !== -1; open = cell.indexOf('[[', open)) {
    const path = pathEnd(cell, open + 2)
    const end = path === -1 || cell[path + 1] !== '[' ? path : cell.indexOf(']]', path + 3)
    while (next < literal.length && literal[next]![1] <= open) next++
    if (end === -1 && path !== -1) break // no link is closed from here on
    const broken = path === -1 || (end === path && cell[path + 1] !== ']')
    if (broken || (next < literal.length && literal[next]![0] <= open)) {
      open++
      continue
    }
    words += cell.slice(at, open) + cell.slice(end === path ? open + 2 : path + 2, end)
    at = end + 2
    open = at
  }
  return words + cell.slice(at)
}

/** Where verbatim text and code stand in a cell. */
function literalParts(cell: TableCell): [number, number][] {
  const from = cell.contentsBegin!
  const parts: [number, number][] = []
  walk(cell, (node) => {
    if (node.type !== 'verbatim' && node.type !== 'code') return
    const begin = node.position.start.offset
    const end = node.position.end.offset - node.postBlank
    parts.push([begin - from, end - from])
  })
  return parts
}

/** Where a link's target ends, at its bracket; -1 when there is none. */
function pathEnd(cell: string, begin: number): number {
  let escaped = false
  for (let at = begin; at < cell.length; at++) {
    const char = cell[at]
    if ((char === '[' || char === ']') && !escaped) return char === ']' && at > begin ? at : -1
    escaped = char === '\\' && !escaped
  }
  return -1
}

const numberPattern =
  /^(?:[<>]?[-+^.]*\d[-+^.\d()%:xed]*|[<>]?[-+]?0x[\da-f.]+|[<>]?[-+]?\d+#[\da-z.]+|nan|[-+u]?inf)$/i
const cookiePattern = /^<([lrc])\d*>$/i

interface Column {
  width: number
  /** Where cells stand; a cookie in capitals is none of the three and means left. */
  align: string
}

function measure(lines: readonly Line[]): Column[] {
  const rows = lines.flatMap(({ cells }) => (cells === null ? [] : [cells]))
  return Array.from({ length: columnCount(lines) }, (_, index) => {
    const cells = rows.map((row) => row[index] ?? emptyCell)
    if (cells.length === 0) return { width: 1, align: 'l' }
    const width = cells.reduce((most, cell) => Math.max(most, cell.width), 1)
    return { width, align: alignment(cells.map(({ text }) => text)) }
  })
}

function alignment(cells: readonly string[]): string {
  const words = cells.filter((cell) => cell !== '')
  const cookie = words.map((cell) => cookiePattern.exec(cell)?.[1]).find((found) => found)
  if (cookie !== undefined) return cookie
  const numbers = words.filter((cell) => numberPattern.test(cell)).length
  return numbers >= words.length / 2 ? 'r' : 'l'
}

function drawn(lines: readonly Line[], columns: readonly Column[] = measure(lines)): NewLine[] {
  const indent = /^[ \t]*/.exec(lines[0]!.raw)![0]
  const rule = columns.map(({ width }) => '-'.repeat(width + 2)).join('+')
  return lines.map(({ at, cells }) => {
    if (cells === null) return { at, text: `${indent}|${rule}|` }
    const fields = columns.map((column, index) => field(cells[index] ?? emptyCell, column))
    return { at, text: `${indent}|${fields.join('|')}|` }
  })
}

function field(cell: Cell, { width, align }: Column): string {
  const spaces = width - cell.width
  const before = align === 'r' ? spaces : align === 'c' ? spaces >> 1 : 0
  return ` ${' '.repeat(before)}${cell.text}${' '.repeat(spaces - before)} `
}

/** Patches that align a table as `org-table-align` does. Throws a RangeError for a table.el table. */
export function alignTable(text: string, table: Table): Patch[] {
  return written(text, table, drawn(linesOf(text, table)))
}

function written(text: string, table: Table, lines: readonly NewLine[]): Patch[] {
  return rewriteLines(text, table.contentsBegin!, table.contentsEnd!, lines)
}

interface Renumbering {
  key: '@' | '$'
  names?: Readonly<Record<string, string>>
  limit?: number
  shift?: number
  /** The row or column that is gone, whose formulas go, too. */
  gone?: number
}

function formulaPatches(text: string, table: Table, change: Renumbering): Patch[] {
  const patches: Patch[] = []
  for (let at = table.contentsEnd!; at < text.length; at = nextLine(text, at)) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    if (!/^[ \t]*#\+tblfm:/i.test(line)) break
    patches.push(...smallestPatch(text, at, end, renumbered(withoutGone(line, change), change)))
  }
  return patches
}

function withoutGone(line: string, { key, gone }: Renumbering): string {
  if (gone === undefined) return line
  const left = key === '$' ? `(?:@\\d+)?\\$${gone}=` : `@${gone}\\$\\d+=`
  return replaceLocal(line, new RegExp(`${left}.*?(?:::|$)`, 'g'), (found, before) => {
    if (before.endsWith('.')) throw new RangeError(`The formula ${found} would lose its range`)
    return ''
  })
}

function renumbered(line: string, { key, names = {}, limit, shift = 0 }: Renumbering): string {
  const pattern = key === '$' ? /\$(\d+)/g : /@(\d+)/g
  return replaceLocal(line, pattern, (found) => {
    const digits = found.slice(1)
    const name = Object.hasOwn(names, digits) ? names[digits] : undefined
    if (name !== undefined) return key + name
    return limit !== undefined && Number(digits) > limit ? key + (Number(digits) + shift) : found
  })
}

function replaceLocal(
  line: string,
  pattern: RegExp,
  replace: (found: string, before: string) => string,
): string {
  const remotes = [...line.matchAll(/remote\([^)]+?\)/gi)]
  let next = 0
  return line.replace(pattern, (found: string, ...rest: unknown[]) => {
    const index = rest.find((argument) => typeof argument === 'number')!
    const end = index + found.length
    while (next < remotes.length && remotes[next]!.index + remotes[next]![0].length < end) next++
    const remote = remotes[next]
    if (remote !== undefined && remote.index <= end) return found
    return replace(found, line.slice(0, index))
  })
}

/** Patches that insert an empty row above or below a line of the table: `org-table-insert-row`. */
export function insertTableRow(
  text: string,
  table: Table,
  { row, below = false }: { row: number; below?: boolean },
): Patch[] {
  const lines = linesOf(text, table)
  const line = checkRow(lines, row)
  const place = below ? row + 1 : row
  const limit = rowsBefore(lines, place)
  const blanks = /^[ \t]*/.exec(line.raw)![0].replaceAll('\t', ' ')
  const closed = isClosed(line)
  const raw = line.cells === null && closed ? blanks : line.raw
  const added: Line = { at: null, raw, cells: newCells(line, columnCount(lines)) }
  const all = lines.toSpliced(place, 0, added)
  const rows = drawn(all, measure(closed ? all : lines))
  if (line.cells === null && !closed) {
    const aligned = /^[ \t]*/.exec(lines[0]!.raw)![0].replaceAll('\t', ' ')
    rows[place]!.text = aligned + rows[place]!.text.trimStart()
  }
  return [
    ...written(text, table, rows),
    ...formulaPatches(text, table, { key: '@', limit, shift: 1 }),
  ]
}

function isClosed({ raw }: Line): boolean {
  return /\|[ \t]*$/.test(raw)
}

function newCells(line: Line, columns: number): Cell[] {
  const { raw, cells } = line
  const closed = isClosed(line)
  const mark = closed ? /^[ \t]*\| *([#*$]) *\|/.exec(raw)?.[1] : cells?.[0]?.text
  if (mark !== undefined && /^[#*$]$/.test(mark)) return [{ text: mark, width: 1 }]
  if (cells !== null || !closed) return Array(columns).fill(emptyCell)
  return Array(raw.replace(/[^|+]/g, '').length - 1).fill(emptyCell)
}

function rowsBefore(lines: readonly Line[], place: number): number {
  return lines.slice(0, place).filter(({ cells }) => cells !== null).length
}

/** Patches that delete a line of the table: `org-table-kill-row`. */
export function deleteTableRow(text: string, table: Table, { row }: { row: number }): Patch[] {
  const lines = linesOf(text, table)
  const line = checkRow(lines, row)
  const patches = written(text, table, kept(lines.toSpliced(row, 1)))
  if (line.cells === null) return patches
  const gone = rowsBefore(lines, row) + 1
  const names = { [gone]: 'INVALID' }
  return [
    ...patches,
    ...formulaPatches(text, table, { key: '@', names, limit: gone, shift: -1, gone }),
  ]
}

function kept(lines: readonly Line[]): NewLine[] {
  return lines.map(({ at, raw }) => ({ at, text: raw }))
}

/** Patches that move a line of the table down, or up, by one: `org-table-move-row`. */
export function moveTableRow(
  text: string,
  table: Table,
  { row, up = false }: { row: number; up?: boolean },
): Patch[] {
  const lines = linesOf(text, table)
  const { raw, cells } = checkRow(lines, row)
  const target = up ? row - 1 : row + 1
  const other = checkRow(lines, target)
  const place = up ? target : target + 1
  const taken = up ? row + 1 : row
  const moved = lines.toSpliced(place, 0, { at: null, raw, cells }).toSpliced(taken, 1)
  const alike = raw === other.raw && text[table.contentsEnd! - 1] === '\n'
  const patches = written(text, table, kept(alike ? lines : moved))
  if (cells === null || other.cells === null) return patches
  const [one, two] = [rowsBefore(lines, row) + 1, rowsBefore(lines, target) + 1]
  const names = { [one]: String(two), [two]: String(one) }
  return [...patches, ...formulaPatches(text, table, { key: '@', names })]
}

/** Patches that insert an empty column before this one: `org-table-insert-column`. */
export function insertTableColumn(
  text: string,
  table: Table,
  { column }: { column: number },
): Patch[] {
  const lines = dataLines(text, table)
  checkColumn(lines, column, columnCount(lines) + 1)
  const changed = lines.map((line) => {
    const place = Math.min(column, line.cells?.length ?? 0)
    return { ...line, cells: line.cells?.toSpliced(place, 0, emptyCell) ?? null }
  })
  return [
    ...written(text, table, drawn(changed)),
    ...formulaPatches(text, table, { key: '$', limit: column, shift: 1 }),
  ]
}

function dataLines(text: string, table: Table): Line[] {
  const lines = linesOf(text, table)
  if (lines.every(({ cells }) => cells === null)) throw new RangeError('The table has no columns')
  return lines
}

/** Patches that delete a column: `org-table-delete-column`. */
export function deleteTableColumn(
  text: string,
  table: Table,
  { column }: { column: number },
): Patch[] {
  const lines = dataLines(text, table)
  checkColumn(lines, column)
  const changed = lines.map((line) => ({
    ...line,
    cells: line.cells?.toSpliced(column, 1) ?? null,
  }))
  const gone = column + 1
  const names = { [gone]: 'INVALID' }
  return [
    ...written(text, table, drawn(changed)),
    ...formulaPatches(text, table, { key: '$', names, limit: gone, shift: -1, gone }),
  ]
}

/** Patches that insert a rule below, or above, a line of the table: `org-table-insert-hline`. */
export function insertTableRule(
  text: string,
  table: Table,
  { row, above = false }: { row: number; above?: boolean },
): Patch[] {
  const lines = linesOf(text, table)
  const closed = isClosed(checkRow(lines, row))
  const old = closed ? kept(lines) : drawn(lines)
  const rule = { at: null, text: ruleFor(old[row]!.text) }
  return written(text, table, old.toSpliced(above ? row : row + 1, 0, rule))
}

function ruleFor(line: string): string {
  const parts = blanked(line)
  let rule = parts[0]!
  let first = true
  parts.slice(1).forEach((part, index) => {
    const dashes = /^ +$/.test(part) && index < parts.length - 2
    rule += (dashes && !first ? '+' : '|') + (dashes ? '-'.repeat(part.length) : part)
    if (dashes) first = false
  })
  return rule
}

/** What is between the bars of a line, with blanks for everything visible. */
function blanked(line: string): string[] {
  if (/^[ \t]*\|-/.test(line)) return line.split(/[|+]/).map((part) => part.replace(/./gsu, ' '))
  const parts = line.split('|')
  const cells = rowOf(line)
  return parts.map((part, index) => {
    if (index === 0 || index === parts.length - 1 || !/[^ \t]/.test(part)) return part
    const [, before, after] = /^([ \t]*).*?([ \t]*)$/s.exec(part)!
    return ' '.repeat(stringWidth(before + shown(line, cells[index - 1]!) + after))
  })
}

function rowOf(line: string): TableCell[] {
  let cells: TableCell[] = []
  walk(parse(line), (node) => {
    if (node.type === 'table-row') cells = node.children as TableCell[]
  })
  return cells
}

/**
 * Patches that set the text of a cell and align the table: `org-table-put`. Throws a RangeError
 * for a text that is no cell's, and for a line that is not there or is a rule.
 */
export function setTableCell(
  text: string,
  table: Table,
  { row, column }: TablePlace,
  value: string,
): Patch[] {
  if (/[\r\n|]/.test(value)) throw new RangeError('A cell has no line break and no bar')
  const lines = linesOf(text, table)
  const { cells } = checkRow(lines, row)
  if (cells === null) throw new RangeError(`Line ${row} of the table is a rule`)
  checkColumn(lines, column, Infinity)
  const missing = Math.max(0, column + 1 - cells.length)
  const filled = [...cells, ...Array<Cell>(missing).fill(emptyCell)]
  const alone = `||${value}|`
  const cell = cellsOf(alone, rowOf(alone)).at(1) ?? emptyCell
  const changed = filled.with(column, cell)
  return written(text, table, drawn(lines.with(row, { ...lines[row]!, cells: changed })))
}
