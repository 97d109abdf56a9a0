import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatches, type Patch } from '../../src/edit/edit.ts'
import {
  alignTable,
  deleteTableColumn,
  deleteTableRow,
  insertTableColumn,
  insertTableRow,
  insertTableRule,
  moveTableRow,
  setTableCell,
} from '../../src/edit/table.ts'
import { parse } from '../../src/parse/parse.ts'
import type { OrgData, Table } from '../../src/tree/nodes.ts'
import { walk } from '../../src/tree/query.ts'

type Edit = (text: string, tree: OrgData, table: Table) => Patch[]
function edited(text: string, edit: Edit): string {
  const tree = parse(text)
  let found: Table | undefined
  walk(tree, (node) => {
    if (node.type === 'table') found ??= node
  })
  return applyPatches(text, edit(text, tree, found!))
}

const align: Edit = (text, _, table) => alignTable(text, table)

test('a table is aligned', () => {
  expect(
    edited(
      '  | [[https://x.org][link]] | <c> | 1 |\n|-\n|茶|\\vert\n | 👍 | abc | 22.5 |  | d\n',
      align,
    ),
  ).toBe(
    '  | [[https://x.org][link]] |  <c>  |    1 |   |   |\n' +
      '  |------+-------+------+---+---|\n' +
      '  | 茶   | \\vert |      |   |   |\n' +
      '  | 👍   |  abc  | 22.5 |   | d |\n',
  )
})

test('a row is inserted', () => {
  const text = '| # | 2.50 |\n|b|4|\n#+tblfm: @2$2=@1$2*2::$3=remote(x,@2$1)'
  expect(edited(text, (...at) => insertTableRow(at[0], at[2], { row: 0, below: true }))).toBe(
    '| # | 2.50 |\n| # |      |\n| b |    4 |\n#+tblfm: @3$2=@1$2*2::$3=remote(x,@2$1)',
  )
  const missing: Edit = (...at) => insertTableRow(at[0], at[2], { row: 3 })
  expect(() => edited('| a |\n', missing)).toThrow('no line 3')
})

test('a row is deleted, a row is moved', () => {
  const text = '| long |\n|------|\n| b    |\n#+TBLFM: @1$1=3::@2$1=@1$1\n'
  expect(edited(text, (...at) => deleteTableRow(at[0], at[2], { row: 0 }))).toBe(
    '|------|\n| b    |\n#+TBLFM: @1$1=@INVALID$1\n',
  )
  expect(edited('| a |\n| b |', (...at) => moveTableRow(at[0], at[2], { row: 0 }))).toBe(
    '| b |\n| a |\n',
  )
  expect(
    edited('| a |\n|b|\n#+TBLFM: @1=@2', (...at) =>
      moveTableRow(at[0], at[2], { row: 1, up: true }),
    ),
  ).toBe('|b|\n| a |\n#+TBLFM: @2=@1')
  expect(() => edited('| a |\n', (...at) => moveTableRow(at[0], at[2], { row: 0 }))).toThrow(
    RangeError,
  )
})

test('columns come and go', () => {
  const text = '| a | b |\n|---+---|\n| c |\n#+tblfm: $2=$1::$1=2\n'
  expect(edited(text, (...at) => insertTableColumn(at[0], at[2], { column: 1 }))).toBe(
    '| a |   | b |\n|---+---+---|\n| c |   |   |\n#+tblfm: $3=$1::$1=2\n',
  )
  expect(edited(text, (...at) => deleteTableColumn(at[0], at[2], { column: 0 }))).toBe(
    '| b |\n|---|\n|   |\n#+tblfm: $1=$INVALID::\n',
  )
  const range = '| a | b |\n#+tblfm: @1$1..@1$2=3\n'
  const remove: Edit = (...at) => deleteTableColumn(at[0], at[2], { column: 1 })
  expect(() => edited(range, remove)).toThrow('lose its range')
})

test.each([
  ['| a | 茶 |\n', false, '| a | 茶 |\n|---+----|\n'],
  [' | a | b\n|c|', true, ' |---+---|\n | a | b |\n | c |   |\n'],
])('a rule is drawn in %j', (text, above, expected) => {
  expect(edited(text, (...at) => insertTableRule(at[0], at[2], { row: 0, above }))).toBe(expected)
})

test('a cell is set', () => {
  const put =
    (column: number, value: string): Edit =>
    (...at) =>
      setTableCell(at[0], at[2], { row: 0, column }, value)
  expect(edited('| a |\n| b |', put(2, '12'))).toBe('| a |   | 12 |\n| b |   |    |\n')
  expect(edited('| a |\n', put(0, ''))).toBe('|   |\n')
  expect(() => edited('| a |\n', put(0, 'x|y'))).toThrow('no bar')
  expect(() => edited('|---|\n', put(0, 'x'))).toThrow('is a rule')
  expect(() => edited('| a |\n', put(-1, 'x'))).toThrow('no column')
})

test('aligning twice is aligning once, and every cell is still there', () => {
  const piece = fc.constantFrom(
    ...['|', '|', '|', '|-', '+', '\n|', '\n |', ' ', '\t', 'a', '茶', '👍', '12', '<c>', '<r>'],
    ...['[[x][y]]', '[[', ']]', '=[[z]]=', '\\', '\r\n| ', '#+tblfm: $1=2', '\u2028', '\ud800'],
  )
  const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => `|x${pieces.join('')}`)
  const words = (text: string) => text.replace(/[|\s+-]/g, '')
  fc.assert(
    fc.property(texts, (text) => {
      const once = edited(text, align)
      expect(words(once)).toBe(words(text))
      expect(edited(once, align)).toBe(once)
    }),
  )
})
