import type { Element } from 'hast'
import { h } from 'hastscript'
import { plainText, type Table, type TableCell, type TableRow } from 'org-ast'
import type { Writer } from './writer.ts'

const marks = new Set(['/', '#', '!', '$', '*', '_', '^'])
const named = new Set(['!', '$', '_', '^'])

const wordsOf = (cell: TableCell | undefined) => plainText(cell?.children ?? []).trim()
const cookieOf = (cell: TableCell) => /^<([lrc]?)\d*>$/.exec(wordsOf(cell))

function isMarked(rows: readonly TableRow[]): boolean {
  const first = rows.map(({ children }) => wordsOf(children[0]))
  return first.every((word) => word === '' || marks.has(word)) && first.some((word) => word !== '')
}

function isSpecial({ children }: TableRow, marked: boolean): boolean {
  const first = wordsOf(children[0])
  if (first === '/' || (marked && named.has(first))) return true
  const filled = children.filter((cell) => wordsOf(cell) !== '')
  return filled.length > 0 && filled.every((cell) => cookieOf(cell) !== null)
}

function groupsOf(rows: readonly TableRow[], marked: boolean): TableRow[][] {
  const groups: TableRow[][] = [[]]
  for (const row of rows) {
    if (row.rowType === 'rule') groups.push([])
    else if (!isSpecial(row, marked)) groups.at(-1)!.push(row)
  }
  return groups.filter((group) => group.length > 0)
}

const numeric = /^[<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*$/
const sides = { l: '', r: 'right', c: 'centre' }

function alignment(rows: readonly TableRow[], marked: boolean): string[] {
  const columns = rows.reduce((most, { children }) => Math.max(most, children.length), 0)
  return Array.from({ length: columns }, (_, column) => {
    const cells = rows.flatMap((row) => row.children[column] ?? [])
    const letter = cells.map((cell) => cookieOf(cell)?.[1]).find(Boolean)
    if (letter === 'l' || letter === 'r' || letter === 'c') return sides[letter]
    const drawn = rows.filter((row) => !isSpecial(row, marked))
    const words = drawn.flatMap((row) => row.children[column] ?? [])
    const filled = words.map(wordsOf).filter((word) => word !== '' && word.length < 100)
    const numbers = filled.filter((word) => numeric.test(word)).length
    return filled.length > 0 && numbers * 2 >= filled.length ? 'right' : ''
  })
}

function bordersOf(rows: readonly TableRow[]): boolean[] {
  const row = rows.find(({ children }) => wordsOf(children[0]) === '/')
  if (row === undefined) return []
  const signs = row.children.map((cell) => wordsOf(cell))
  return signs.map((sign, column) => {
    const before = signs[column - 1] ?? ''
    return column > 1 && (sign.includes('<') || before.includes('>'))
  })
}

/** The table in its frame. */
export function table(node: Table, writer: Writer): Element {
  if (node.value !== null) return h('pre', { tabIndex: 0 }, h('code', node.value))
  const standard = node.children.filter(({ rowType }) => rowType === 'standard')
  const marked = isMarked(standard)
  const first = marked ? 1 : 0
  const [classes, borders] = [alignment(standard, marked), bordersOf(standard)]
  const groups = groupsOf(node.children, marked)
  const row = (isHead: boolean) => (one: TableRow) =>
    h(
      'tr',
      one.children.slice(first).map((cell, index) => {
        const column = index + first
        const className = [classes[column] ?? '', borders[column] ? 'group' : ''].filter(Boolean)
        const isHeading = isHead && wordsOf(cell) !== ''
        const scope = isHeading ? { scope: 'col' } : {}
        const name = className.length === 0 ? {} : { className }
        return h(isHeading ? 'th' : 'td', { ...scope, ...name }, writer.objects(cell.children))
      }),
    )
  const [head, ...rest] = groups
  const bodies = rest.length === 0 ? groups : rest
  return h(
    'div',
    { className: 'wide', tabIndex: 0 },
    h('table', [
      ...(rest.length === 0 ? [] : [h('thead', head!.map(row(true)))]),
      ...bodies.map((body) => h('tbody', body.map(row(false)))),
    ]),
  )
}
