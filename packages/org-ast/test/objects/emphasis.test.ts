import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test.each([
  ['2*3*4', '"2*3*4"'],
  ['*2*3*4*', '(bold "2*3*4")'],
  ['* a*', '(item (paragraph "a*"))'],
  ['(/a/)', '"(" (italic "a") ")"'],
  ['=a=b= c', '(verbatim) "c"'],
  ['+a\nb+', '(strike-through "a\\nb")'],
  ['_a_b', '"_a" (subscript "b")'],
])('%s', (text, expected) => {
  expect(sketch(parse(text.startsWith('*') ? ` ${text}` : text))).toContain(expected)
})
