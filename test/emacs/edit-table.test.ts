import fc from 'fast-check'
import { parse, type Table, walk } from 'org-ast'
import {
  alignTable,
  applyPatches,
  deleteTableColumn,
  deleteTableRow,
  insertTableColumn,
  insertTableRow,
  insertTableRule,
  moveTableRow,
  type Patch,
  setTableCell,
} from 'org-ast/edit'
import { expect, test } from 'vitest'
import { type ComparedCase, compareEdits, hasEmacs, orRefused } from './emacs.ts'

const cell = fc.constantFrom(
  ...['', '', 'tea', 'more tea', '茶', '👍', 'é', 'e\u0301', '12', '2.50', '-3e5', '0xff', '12:30'],
  ...[
    '<l>',
    '<r5>',
    '<c>',
    '<10>',
    '<C>',
    '\\vert',
    '\\alpha{}',
    '*bold*',
    'a =[[v][w]]= b',
    '#',
    '$',
  ],
  ...['[[https://x.org][see this]]', '[[x]]', 'a [[x][茶]] b [[y]]', 'https://x.org', '1,5', 'nan'],
)
const pad = fc.constantFrom('', ' ', ' ', '  ', '\t')
const padded = fc.tuple(pad, cell, pad).map((parts) => parts.join(''))
const rule = fc.constantFrom('|-', '|---+---|', '|-+-+-+-|', '|---|', '|- x')
const row = fc
  .tuple(fc.array(padded, { minLength: 1, maxLength: 4 }), fc.constantFrom('|', '|', '|', '| ', ''))
  .map(([cells, last]) => `|${cells.join('|')}${last}`)
const line = fc.oneof({ weight: 4, arbitrary: row }, { weight: 1, arbitrary: rule })

const formula = fc.constantFrom(
  ...[
    '$2=$1*2',
    '@2$2=@1$1',
    '@1$1=vsum(@2..@3)',
    '$3=remote(other,@1$2)+$1',
    '@3=@2',
    '$10=$2;%.1f',
  ],
  ...['@1$1..@2$2=7', '$1=@-1$2', '@>$2=remote(x,@2$2)', '@I$1=@II$3'],
)
const formulas = fc
  .array(formula, { minLength: 1, maxLength: 4 })
  .map((parts) => `#+TBLFM: ${parts.join('::')}\n`)
const below = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: formulas },
  { weight: 1, arbitrary: fc.tuple(formulas, formulas).map(([a, b]) => a + b.toLowerCase()) },
)

const indent = fc.constantFrom('', '', '', '  ', '\t')
const table = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 6 }), fc.array(indent, { maxLength: 6 }), below)
  .map(([lines, indents, after]) => {
    return lines.map((text, index) => `${indents[index] ?? ''}${text}\n`).join('') + after
  })
const file = fc
  .tuple(
    table,
    fc.constantFrom('', '', '* a [1/2] :b:\n', 'text\n', '#+name: t\n', '- item\n', '\n'),
    fc.constantFrom('', '', '\n', 'text\n', '* b\n', '\n\n| x |\n'),
    fc.constantFrom('', '', '', 'windows', 'cut'),
  )
  .map(([lines, before, after, kind]) => {
    const inner = before === '- item\n' ? `${lines.replace(/^[ \t]*/gm, '  ').trimEnd()}\n` : lines
    const text = before + inner + after
    if (kind === 'windows') return text.replaceAll('\n', '\r\n')
    return kind === 'cut' ? text.replace(/\n+$/, '') : text
  })

interface Place {
  text: string
  table: Table
  row: number
  column: number
  choice: boolean
  value: string
}
type Command = (place: Place) => {
  command: string
  edit: () => Patch[]
  /** Debian's Org does something else. */
  newer?: boolean
  /** Emacs does something that we do not want to do. */
  wrong?: boolean
}

const place = fc
  .tuple(file, fc.nat(), fc.nat(), fc.boolean(), cell)
  .map(([text, line, cell, choice, value]): Place => {
    let found: Table | undefined
    walk(parse(text), (node) => {
      if (node.type === 'table') found ??= node
    })
    const table = found!
    const row = line % table.children.length
    const column = cell % Math.max(1, table.children[row]!.children.length)
    return { text, table, row, column, choice, value }
  })

function caseOf(place: Place, make: Command): ComparedCase {
  const { text, table, row, column } = place
  const line = table.children[row]!
  const { command, edit, newer = false, wrong = false } = make(place)
  const at = (line.children[column] ?? line).position.start.offset
  const quiet = '(setq require-final-newline nil org-table-may-need-update t)'
  const full = `(progn ${quiet} ${command})`
  return { text, at, command: full, newer, wrong, ours: answered(text, edit) }
}

function answered(text: string, edit: () => Patch[]): string {
  return orRefused(() => applyPatches(text, edit()))
}

function compare(make: Command, seed: number, numRuns: number): number {
  const cases = fc.sample(place, { seed, numRuns }).map((each) => caseOf(each, make))
  const { wrong, compared } = compareEdits(cases)
  expect(wrong).toEqual([])
  return compared
}

test.skipIf(!hasEmacs)('a table is aligned as Emacs aligns it', () => {
  const make: Command = ({ text, table }) => ({
    command: '(org-table-align)',
    edit: () => alignTable(text, table),
  })
  expect(compare(make, 1, 150)).toBeGreaterThan(120)
})

const unclosed = ({ text, table, row }: Place) =>
  !/\|[ \t]*\r?$/.test(lineAt(text, table.children[row]!.position.start.offset))
const lineAt = (text: string, at: number) => text.slice(at).split('\n', 1)[0]!
const flag = (choice: boolean) => (choice ? "'(4)" : 'nil')

test.skipIf(!hasEmacs)('a row is inserted as Emacs inserts it', () => {
  const make: Command = (at) => ({
    command: `(org-table-insert-row ${flag(at.choice)})`,
    edit: () => insertTableRow(at.text, at.table, { row: at.row, below: at.choice }),
    newer: unclosed(at),
  })
  expect(compare(make, 2, 120)).toBeGreaterThan(50)
})

test.skipIf(!hasEmacs)('a row is deleted as Emacs deletes it', () => {
  const make: Command = ({ text, table, row }) => ({
    command: '(org-table-kill-row)',
    edit: () => deleteTableRow(text, table, { row }),
    newer: table.tblfm.length > 0,
    wrong:
      table.children.length === 1 &&
      /(?:^|\n)\r?\n$/.test(text.slice(0, table.contentsBegin!) || '\n'),
  })
  expect(compare(make, 3, 160)).toBeGreaterThan(50)
})

test.skipIf(!hasEmacs)('a row is moved as Emacs moves it', () => {
  const make: Command = ({ text, table, row, choice }) => ({
    command: `(org-table-move-row ${flag(choice)})`,
    edit: () => moveTableRow(text, table, { row, up: choice }),
  })
  expect(compare(make, 4, 120)).toBeGreaterThan(50)
})

test.skipIf(!hasEmacs)('a rule is drawn as Emacs draws it', () => {
  const make: Command = (at) => ({
    command: `(font-lock-ensure) (org-table-insert-hline ${flag(at.choice)})`,
    edit: () => insertTableRule(at.text, at.table, { row: at.row, above: at.choice }),
    newer:
      unclosed(at) ||
      lineAt(at.text, at.table.children[at.row]!.position.start.offset).includes('\t'),
    wrong:
      !at.choice &&
      at.text.endsWith(lineAt(at.text, at.table.children[at.row]!.position.start.offset)),
  })
  expect(compare(make, 5, 220)).toBeGreaterThan(50)
})

function inRow(place: Place): Place {
  const row = place.table.children.findIndex(({ rowType }) => rowType !== 'rule')
  return row === -1 ? place : { ...place, row, column: 0 }
}
const rawCells = (text: string, at: number) =>
  lineAt(text, at).replace(/\r$/, '').trimStart().split('|').slice(1)

test.skipIf(!hasEmacs)('a column is inserted as Emacs inserts it', () => {
  const make: Command = (at) => {
    const row = at.table.children[at.row]!
    const column = at.choice ? at.column : row.children.length
    return {
      command: `${at.choice ? '' : '(end-of-line)'} (org-table-insert-column)`,
      edit: () => insertTableColumn(at.text, at.table, { column }),
      newer: unclosed(at),
      wrong: row.rowType === 'rule' || ragged(at, column) || (!at.choice && unclosed(at)),
    }
  }
  expect(compare(make, 6, 160)).toBeGreaterThan(50)
})

/** Some row has no last bar, and no such column. */
function ragged({ text, table }: Place, column: number): boolean {
  return table.children.some((row) => {
    const cells = rawCells(text, row.position.start.offset)
    return row.rowType !== 'rule' && cells.at(-1)!.trim() !== '' && cells.length <= column
  })
}

test.skipIf(!hasEmacs)('a column is deleted as Emacs deletes it', () => {
  const make: Command = (at) => ({
    command: '(org-table-delete-column)',
    edit: () => deleteTableColumn(at.text, at.table, { column: at.column }),
    newer: at.table.tblfm.length > 0,
    wrong:
      at.table.children[at.row]!.rowType === 'rule' ||
      at.table.children.some((row) => {
        const cells = rawCells(at.text, row.position.start.offset)
        if (row.rowType === 'rule') return false
        const last = at.column === cells.length - 1 && cells.at(-1)!.trim() !== ''
        return last || cells[at.column] === '' || (at.column === 0 && cells[1]?.startsWith('-'))
      }),
  })
  expect(compare(make, 7, 250)).toBeGreaterThan(50)
})

test.skipIf(!hasEmacs)('a cell is set as Emacs sets it', () => {
  const make: Command = (place) => {
    const { text, table, row, column, choice, value } = inRow(place)
    const target = choice ? column : column + 2
    return {
      command: `(org-table-put 1 ${target + 1} ${JSON.stringify(value)} t)`,
      edit: () => setTableCell(text, table, { row, column: target }, value),
      wrong:
        table.children[row]!.rowType === 'rule' ||
        (target === 0 && value.startsWith('-')) ||
        unclosed({ ...place, row }),
    }
  }
  expect(compare(make, 8, 150)).toBeGreaterThan(50)
})
