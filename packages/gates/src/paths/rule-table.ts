import { z } from 'zod'

/** What a rule must match, and what it must not. */
export interface RuleExamples {
  match: string[]
  not: string[]
}

interface Row {
  /** Where it stands, in lines of the text. */
  line: number
  /** Whether there is a column for them. */
  hasExamples: boolean
  examples: RuleExamples
  /** The other cells, by their columns. */
  words: Record<string, string>
}

function rowsIn(text: string): Row[] {
  const rows: Row[] = []
  let columns: readonly string[] | null = null
  for (const [index, written] of text.split('\n').entries()) {
    const isRow = written.startsWith('|')
    if (!isRow || columns === null) {
      columns = isRow ? cellsOf(written) : null
      continue
    }
    if (written.startsWith('|-')) continue
    const cells = cellsOf(written)
    if (cells[0] !== '') rows.push(emptyRow(index + 1, columns))
    const row = rows.at(-1)
    if (row === undefined || cells.length !== columns.length)
      throw new RangeError(`line ${index + 1} has no row above it, or not as many cells`)
    for (const [at, cell] of cells.entries()) if (cell !== '') addCell(row, columns[at]!, cell)
  }
  return rows
}

function cellsOf(line: string): string[] {
  const inside = line.trimEnd().slice(1, -1).split('|')
  return inside.map((cell) => cell.trim().replaceAll('\\vert{}', '|'))
}

function emptyRow(line: number, columns: readonly string[]): Row {
  const hasExamples = columns.includes('examples')
  const others = columns.filter((column) => column !== 'examples')
  const words = Object.fromEntries(others.map((column) => [column, '']))
  return { line, hasExamples, examples: { match: [], not: [] }, words }
}

function addCell({ examples, words }: Row, column: string, cell: string): void {
  if (column !== 'examples')
    words[column] = words[column] === '' ? cell : `${words[column]} ${cell}`
  else if (cell.startsWith('! ')) examples.not.push(cell.slice(2))
  else examples.match.push(cell)
}

/** The rules of the tables in this text. Throws a RangeError that names the table and the line. */
export function readRules<Cells, Rule>(
  table: string,
  text: string,
  schema: z.ZodType<Cells>,
  read: (cells: Cells, examples: RuleExamples) => Rule,
): Rule[] {
  return rowsIn(text).map(({ line, words, hasExamples, examples }) => {
    try {
      const isShown = examples.match.length + examples.not.length > 0
      if (hasExamples && !isShown) throw new RangeError('no example')
      return read(schema.parse(words), examples)
    } catch (error) {
      const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
      throw new RangeError(`The table ${table}, line ${line}: ${reason}`)
    }
  })
}
