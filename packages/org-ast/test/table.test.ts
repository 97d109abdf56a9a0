import { expect, test } from 'vitest'
import { parse } from '../src/parse.ts'
import { sketch } from './sketch.ts'

test('rows, rules, and formulas', () => {
  const tree = parse('| a | b\n|---+--|\n| c |  |\n#+TBLFM: $1=2\nx\n')
  expect(sketch(tree)).toBe(
    '(section (table (table-row (table-cell "a") (table-cell "b")) (table-row)' +
      ' (table-row (table-cell "c") (table-cell))) (paragraph "x\\n"))',
  )
  expect(tree.children[0]!.children[0]).toMatchObject({ tblfm: ['$1=2'] })
})
