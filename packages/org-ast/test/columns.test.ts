import { expect, test } from 'vitest'
import { columns, tagGap } from '../src/columns.ts'

test.each([
  ['', 0],
  ['* TODO x', 8],
  ['漢字', 4],
  ['ｆｕｌｌ', 8],
  ['한국', 4],
  ['a\tb', 9],
  ['e\u0301', 1],
  ['😀', 2],
  ['👨\u200d👩\u200d👧', 6],
  ['🇩🇪', 2],
  ['☀ ★', 3],
  ['\u00a0\u00ad', 2],
])('%j takes %i columns', (text, expected) => {
  expect(columns(text)).toBe(expected)
})

test.each([
  ['* a :b:', { begin: 3, end: 4, text: ' '.repeat(71) }],
  ['* 漢 :漢:', { begin: 3, end: 4, text: ' '.repeat(69) }],
  [`* ${'x'.repeat(80)}  :b:`, { begin: 82, end: 84, text: ' ' }],
  ['* :b:  ', { begin: 1, end: 2, text: ' '.repeat(73) }],
  [`* a${'\t'.repeat(9)}  :b:`, null],
  ['* a b:', null],
  ['* a :b', null],
])('%j', (line, expected) => {
  expect(tagGap(line)).toEqual(expected)
})
