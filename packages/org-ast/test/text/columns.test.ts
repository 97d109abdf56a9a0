import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indentTo, stringWidth, tagGap } from '../../src/text/columns.ts'

test.each([
  ['abc', 3],
  ['日本', 4],
  ['한국', 4],
  ['👍', 2],
  ['👍🏽', 4],
  ['👨\u200d👩\u200d👧', 6],
  ['🇩🇪', 2],
  ['e\u0301', 1],
  ['a\u200bb', 2],
  ['ｱ', 1],
  ['a\tb', 9],
  ['\u0007', 2],
  ['\u0085', 4],
  ['─', 1],
])('%j is %i wide', (text, width) => {
  expect(stringWidth(text)).toBe(width)
})

test('indentation reaches its column', () => {
  const blanks = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 12 })
  fc.assert(
    fc.property(blanks, fc.nat(40), fc.boolean(), (before, column, tabs) => {
      expect(stringWidth(indentTo(before, column, tabs))).toBe(column)
      expect(indentTo(before, stringWidth(before), tabs)).toBe(before)
    }),
  )
  expect(indentTo('', 10, true)).toBe('\t  ')
  expect(indentTo('\t  ', 4, true)).toBe('    ')
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
