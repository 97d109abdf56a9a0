import { stringWidth } from './text.ts'

type Row = string[] | 'rule'

function readRow(line: string): Row {
  if (line[1] === '-') return 'rule'
  const fields = line.slice(1).split('|')
  if (isBlank(fields.at(-1)!)) fields.pop()
  return fields.map((field) => field.replace(/^[ \t]+/, '').replace(lastBlanks, ''))
}

function isBlank(text: string): boolean {
  return /^[ \t]*$/.test(text)
}

const lastBlanks = /(?<![ \t])[ \t]+$/

interface Column {
  width: number
  align: string
}

const number =
  /^(?:[<>]?[-+^.0-9]*[0-9][-+^.0-9edx()%:]*|[<>]?[-+]?0x[0-9a-f.]+|[<>]?[-+]?[0-9]+#[0-9a-z]+|nan|[-+u]?inf)$/i

function readColumn(rows: readonly string[][], index: number): Column {
  let width = 1
  let fixed: string | null = null
  let numbers = 0
  let filled = 0
  for (const row of rows) {
    const field = row[index] ?? ''
    width = Math.max(width, stringWidth(field))
    if (fixed !== null || field === '') continue
    const mark = /^<([lrc])[0-9]*>$/i.exec(field)
    if (mark !== null) fixed = mark[1]!
    else {
      filled++
      if (number.test(field)) numbers++
    }
  }
  return { width, align: fixed ?? (numbers >= filled / 2 ? 'r' : 'l') }
}

function alignField(field: string, { width, align }: Column): string {
  const blanks = width - stringWidth(field)
  const before = align === 'r' ? blanks : align === 'c' ? Math.floor(blanks / 2) : 0
  return ` ${' '.repeat(before)}${field}${' '.repeat(blanks - before)} `
}

/** The lines of a table, each beginning with a bar, aligned; one line out for each line in. */
export function alignTable(lines: readonly string[]): string[] {
  const table = lines.map(readRow)
  const rows = table.filter((row) => row !== 'rule')
  let count = rows.length === 0 ? 1 : 0
  for (const row of rows) count = Math.max(count, row.length)
  const columns = Array.from({ length: count }, (_, index) => readColumn(rows, index))
  const rule = columns.map(({ width }) => '-'.repeat(width + 2)).join('+')
  return table.map((row) => {
    if (row === 'rule') return `|${rule}|`
    return `|${columns.map((column, index) => alignField(row[index] ?? '', column)).join('|')}|`
  })
}
