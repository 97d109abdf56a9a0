import { expect, test } from 'vitest'
import { alignTable } from '../../src/stringify/table.ts'

test('columns are aligned', () => {
  expect(alignTable(['| a | long | n |', '|-', '| 日本 | | 10 |', '| x |'])).toEqual([
    '| a    | long |  n |',
    '|------+------+----|',
    '| 日本 |      | 10 |',
    '| x    |      |    |',
  ])
})

test('a mark aligns its column', () => {
  expect(alignTable(['| <c> | <r> | <l> |', '| word1 | w | 1 |', '| a | 2 | 20 |'])).toEqual([
    '|  <c>  | <r> | <l> |',
    '| word1 |   w | 1   |',
    '|   a   |   2 | 20  |',
  ])
})

test('a table of rules has one column', () => {
  expect(alignTable(['|-', '|---+---|'])).toEqual(['|---|', '|---|'])
})
