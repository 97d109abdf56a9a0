import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatches } from '../src/edit.ts'
import { joinPatches, lineEnd, nextLine, rewriteLines, smallestPatch } from '../src/edit-lines.ts'

test('the smallest patch gives the new text', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
  fc.assert(
    fc.property(short, short, short, short, (before, old, put, after) => {
      const text = before + old + after
      const end = before.length + old.length
      const patches = smallestPatch(text, before.length, end, put)
      expect(applyPatches(text, patches)).toBe(before + put + after)
      expect(patches.length).toBe(old === put ? 0 : 1)
    }),
  )
  expect(smallestPatch('| a|', 0, 4, '| a |')).toEqual([{ begin: 3, end: 3, text: ' ' }])
})

test.each([
  [
    'a\nb\nc\n',
    [
      { at: 0, text: 'a' },
      { at: 4, text: 'd' },
    ],
    'a\nd\n',
  ],
  [
    'a\nb',
    [
      { at: 0, text: 'a' },
      { at: 2, text: 'b' },
      { at: null, text: 'c' },
    ],
    'a\nb\nc\n',
  ],
  [
    'a\nb',
    [
      { at: 0, text: 'a' },
      { at: 2, text: 'bb' },
      { at: null, text: 'c' },
    ],
    'a\nbb\nc\n',
  ],
  [
    'a\nb',
    [
      { at: 0, text: 'x' },
      { at: 2, text: 'b' },
    ],
    'x\nb',
  ],
  [
    'a\r\nb',
    [
      { at: null, text: 'n' },
      { at: 3, text: 'c' },
    ],
    'n\r\nc\r\n',
  ],
])('%j with %j is %j', (text, lines, expected) => {
  expect(applyPatches(text, rewriteLines(text, 0, text.length, lines))).toBe(expected)
})

test('a line ends before its line break', () => {
  expect([lineEnd('ab\r\nc', 0), lineEnd('ab\r\nc', 4), nextLine('ab\r\nc', 0)]).toEqual([2, 5, 4])
  expect(joinPatches([])).toEqual([])
})
