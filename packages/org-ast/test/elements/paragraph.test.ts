import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test.each([
  ['a\nb\n', '(paragraph "a\\nb\\n")'],
  ['a\n*\n', '(paragraph "a\\n") (paragraph "*\\n")'],
  ['a\n+--+\nb\n', '(paragraph "a\\n") (paragraph (strike-through "--") "\\nb\\n")'],
  ['a\n#+b c:\n', '(paragraph "a\\n#+b c:\\n")'],
  ['a\n#+title[x]: b\n', '(paragraph "a\\n#+title[x]: b\\n")'],
  ['a\n#+caption[x]: b\n', '(paragraph "a\\n") (keyword)'],
])('%j', (text, expected) => {
  expect(sketch(parse(text))).toBe(`(section ${expected})`)
})
