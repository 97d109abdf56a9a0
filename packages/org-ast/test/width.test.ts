import { expect, test } from 'vitest'
import { columnAfter, indentation } from '../src/width.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['\t', 8],
  ['ab\tc', 9],
  ['水をやる', 8],
  ['한국', 4],
  ['ｘ', 2],
  ['e\u0301', 1],
  ['a\u00adb', 3],
  ['a\u200bb', 2],
  ['❤\ufe0f', 1],
  ['😀', 2],
  ['\u0000', 2],
  ['\u0085', 4],
  ['👨‍👩‍👧', 6],
])('%j is %i columns wide', (text, expected) => {
  expect(columnAfter(text)).toBe(expected)
})

test('indentation reaches its column', () => {
  expect(indentation(10)).toBe('\t  ')
  for (let column = 0; column < 40; column++) {
    expect(columnAfter(indentation(column))).toBe(column)
  }
})
