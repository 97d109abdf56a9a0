import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Section } from '../../src/tree/nodes.ts'
import { walk } from '../../src/tree/query.ts'
import { sketch } from '../parse/sketch.ts'

test('rows, rules, and formulas', () => {
  const tree = parse('| a | b\n|---+--|\n| c |  |\n#+TBLFM: $1=2\nx\n')
  expect(sketch(tree)).toBe(
    '(section (table (table-row (table-cell "a") (table-cell "b")) (table-row)' +
      ' (table-row (table-cell "c") (table-cell))) (paragraph "x\\n"))',
  )
  expect(tree.children[0]!.children[0]).toMatchObject({ tblfm: ['$1=2'] })
})

test('many borders, and tables with an end of their own', () => {
  const first = (parse('+-+\n|a|\n'.repeat(100_000)).children[0] as Section).children
  expect(first).toHaveLength(200_000)
  const drawn = '+-+\n|a|\n+-+\n'
  const tree = parse(`${drawn}x\n${drawn}- x\n  +-+\n  |a|\n  +-+\n|b|\n`)
  const tables: unknown[] = []
  walk(tree, (node) => {
    if (node.type === 'table') tables.push(node.value ?? node.children.length)
  })
  expect(tables).toEqual([drawn, drawn, '  +-+\n  |a|\n  +-+\n', 1])
})
