import { parse, type Table, type TableRow } from 'org-ast'
import { z } from 'zod'

/** The words of a cell, with one blank between two. */
export const cellWords: z.ZodType<string, string[]> = z
  .array(z.string())
  .transform((lines) => lines.join(' '))

/** What a rule must match, and what it must not. */
export interface RuleExamples {
  match: string[]
  not: string[]
}

/** The examples of a rule; those that it must not match begin with an exclamation mark. */
export const examplesIn: z.ZodType<RuleExamples, string[]> = z
  .array(z.string())
  .transform((lines) => ({
    match: lines.filter((line) => !line.startsWith('! ')),
    not: lines.filter((line) => line.startsWith('! ')).map((line) => line.slice(2)),
  }))
  .refine(({ match }) => match.length > 0, 'expected an example')

interface Row {
  /** Where it begins, in lines of the text. */
  line: number
  cells: Record<string, string[]>
}

function rowsIn(text: string): Row[] {
  const [section] = parse(text).children
  const parts = section?.type === 'section' ? section.children : []
  return parts.flatMap((part) => (part.type === 'table' ? rowsOf(text, part) : []))
}

function rowsOf(text: string, { children }: Table): Row[] {
  const rows: Row[] = []
  const [head, ...body] = children.filter(({ rowType }) => rowType === 'standard')
  const columns = head === undefined ? [] : cellsOf(text, head)
  for (const row of body) {
    const cells = cellsOf(text, row)
    const { line } = row.position.start
    if (cells[0] !== '') {
      rows.push({ line, cells: Object.fromEntries(columns.map((column) => [column, []])) })
    }
    for (const [at, cell] of cells.entries()) {
      const known = rows.at(-1)?.cells[columns[at] ?? '']
      if (known === undefined) throw new RangeError(`line ${line} is below no row or column`)
      if (cell !== '') known.push(cell)
    }
  }
  return rows
}

function cellsOf(text: string, { children }: TableRow): string[] {
  return children.map(({ contentsBegin, contentsEnd }) =>
    text.slice(contentsBegin ?? 0, contentsEnd ?? 0).replaceAll('\\vert{}', '|'),
  )
}

/** The rules of the tables in this text. Throws a RangeError that names the table and the line. */
export function readRules<Schema extends z.ZodType>(
  table: string,
  text: string,
  schema: Schema,
): z.output<Schema>[] {
  return rowsIn(text).map(({ line, cells }) => {
    const read = schema.safeParse(cells)
    if (read.success) return read.data
    const faults = read.error.issues.map(({ message, path }) => `${path.join('.')}: ${message}`)
    throw new RangeError(`The table ${table}, line ${line}: ${faults.join('; ')}`)
  })
}
