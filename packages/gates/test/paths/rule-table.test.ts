import { expect, test } from 'vitest'
import { z } from 'zod'
import { readRules } from '../../src/paths/rule-table.ts'

const schema = z.strictObject({ name: z.string(), colours: z.string() })
const read = (...lines: string[]) =>
  readRules('fruit', lines.join('\n'), schema, (fruit, examples) => ({ ...fruit, ...examples }))
const head = '| name | colours | examples |'

test('a row goes on where the first cell is empty', () => {
  const first = [head, '|-', '| apple | red | an *apple* |', '|  | green | ! a\\vert{}b |', '|-']
  const second = ['', '| colours | name | examples |', '| yellow | pear | a pear |']
  expect(read(...first, ...second)).toEqual([
    { name: 'apple', colours: 'red green', match: ['an *apple*'], not: ['a|b'] },
    { name: 'pear', colours: 'yellow', match: ['a pear'], not: [] },
  ])
})

test.each([
  [
    'a row without an example',
    'The table fruit, line 3: RangeError: no example',
    ['| apple | red |  |'],
  ],
  ['a row below none', 'line 3 has no row above it', ['|  | red | x |']],
  [
    'a cell of no column',
    'line 3 has no row above it, or not as many',
    ['| apple | red | x | y |'],
  ],
])('%s is told', (_, reason, rows) => {
  expect(() => read(head, '|-', ...rows)).toThrow(reason)
})

test('a column that nobody knows is told', () => {
  expect(() => read('| name | taste | examples |', '| apple | sweet | x |')).toThrow(
    'The table fruit, line 2',
  )
})
