import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  dedent,
  indentationOf,
  indentLine,
  normalizeEnd,
  prefixLines,
  stringWidth,
} from '../../src/stringify/text.ts'

test('a text ends with one newline', () => {
  expect(normalizeEnd('a\n  \n\t\n')).toBe('a\n')
  expect(normalizeEnd('a  ')).toBe('a  \n')
  expect(normalizeEnd('\n\n')).toBe('\n')
  expect(normalizeEnd('')).toBe('')
})

test('indentation is counted in columns', () => {
  expect(indentationOf('  \tx')).toBe(8)
  expect(indentLine('x', 10, true)).toBe('\t  x')
  expect(indentLine('  x', 10, false)).toBe(`${' '.repeat(10)}x`)
})

test('what is written to a column is read as that column', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.boolean(), (column, tabs) => {
      expect(indentationOf(indentLine('  x', column, tabs))).toBe(column)
    }),
  )
})

test('common indentation is taken away', () => {
  expect(dedent('  a\n    b\n \n  c\n', true)).toBe('a\n  b\n\nc\n')
  expect(dedent('    a\n\tb\n', false)).toBe('a\n    b\n')
  expect(dedent('    a\n\tb\n', true)).toBe('a\n\tb\n')
  expect(dedent('  a\nb\n', true)).toBe('  a\nb\n')
  expect(dedent('  a\n \u00a0b\n', true)).toBe('  a\n \u00a0b\n')
  expect(dedent('  \n \n', true)).toBe('\n\n')
})

test('empty lines get no prefix', () => {
  expect(prefixLines('a\n\n \u00a0\n b\u2028c\n', '> ')).toBe('> a\n\n \u00a0\n>  b\u2028c\n')
})

test('wide characters take two columns, combining ones none', () => {
  expect(stringWidth('word')).toBe(4)
  expect(stringWidth('日本')).toBe(4)
  expect(stringWidth('🌱é')).toBe(3)
  expect(stringWidth('e\u0301')).toBe(1)
  expect(stringWidth('👩\u200d👧a\u200bb')).toBe(7)
  expect(stringWidth('a\tb\u0001')).toBe(11)
})
