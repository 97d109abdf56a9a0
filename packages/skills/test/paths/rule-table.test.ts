import { expect, test } from 'vitest'
import { z } from 'zod'
import { cellWords, examplesIn, readRules } from '../../src/paths/rule-table.ts'

const schema = z.strictObject({ name: cellWords, colours: cellWords, examples: examplesIn })
const read = (...lines: string[]) => readRules('fruit', lines.join('\n'), schema)
const head = '| name | colours | examples |'

test('a row goes on where the first cell is empty', () => {
  const first = [head, '|-', '| apple | red | an *apple* |', '|  | green | ! a\\vert{}b |', '|-']
  const second = ['', '| colours | name | examples |', '| yellow | pear | a pear |']
  expect(read(...first, ...second)).toEqual([
    { name: 'apple', colours: 'red green', examples: { match: ['an *apple*'], not: ['a|b'] } },
    { name: 'pear', colours: 'yellow', examples: { match: ['a pear'], not: [] } },
  ])
})

test.each([
  ['a row without an example', 'line 3: examples: expected an example', ['| apple | red |  |']],
  ['a row below none', 'line 3 is below no row', ['|  | red | x |']],
  ['a cell of no column', 'line 3 is below no row or column', ['| apple | red | x | y |']],
])('%s is told', (_, reason, rows) => {
  expect(() => read(head, '|-', ...rows)).toThrow(reason)
})

test('a column that nobody knows is told', () => {
  expect(() => read('| name | taste |', '| apple | sweet |')).toThrow('The table fruit, line 2')
})
