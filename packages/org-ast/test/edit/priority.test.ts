import { expect, test } from 'vitest'
import { applyPatches } from '../../src/edit/edit.ts'
import { setPriority } from '../../src/edit/priority.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

function edited(text: string, priority: string | null): string {
  const tree = parse(text)
  return applyPatches(text, setPriority(text, tree, [...headlines(tree)][0]!, priority))
}

const numbers = '* x [#9] y\n'
test.each([
  ['* TODO x\n', 'A', '* TODO [#A] x\n'],
  [`* TODO x${' '.repeat(66)}:a:\n`, 'C', `* TODO [#C] x${' '.repeat(61)}:a:\n`],
  ['* TODO', 'A', '* TODO [#A]'],
  ['* [#B] x\n', null, '* x\n'],
  ['* x\n', null, '* x\n'],
  ['* [#A] x\n', 'up', '* x\n'],
  ['* [#C] x\n', 'down', '* x\n'],
  ['* x\n', 'up', '* [#B] x\n'],
  ['* [#B] x\r\n', 'up', '* [#A] x\r\n'],
])('%j with %s', (text, priority, expected) => {
  expect(edited(text, priority)).toBe(expected)
})

test('numbers count on, and the range is kept', () => {
  const range = ['#+priorities: 1 20 10', ''].join('\n')
  expect(edited(range + numbers, 'down')).toBe(`${range}* x [#10] y\n`)
  expect(() => edited(range + numbers, 'A')).toThrow('1 to 20')
  expect(() => edited('* x\n', 'D')).toThrow('A to C')
})
