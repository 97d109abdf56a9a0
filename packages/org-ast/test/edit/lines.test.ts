import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatches } from '../../src/edit/edit.ts'
import {
  joinPatches,
  lineEnd,
  linePatches,
  nextLine,
  pathTo,
  rewriteLines,
  smallestPatch,
} from '../../src/edit/lines.ts'
import { parse } from '../../src/parse/parse.ts'
import type { OrgContent } from '../../src/tree/nodes.ts'
import { walk } from '../../src/tree/query.ts'

test('the way to a node leads through everything around it', () => {
  const tree = parse('* a\n- b\n  - c\n')
  const items: OrgContent[] = []
  walk(tree, (node) => {
    if (node.type === 'item') items.push(node)
  })
  const types = pathTo(tree, items[1]!).map(({ type }) => type)
  expect(types.join(' ')).toBe('org-data headline section plain-list item plain-list item')
  expect(() => pathTo(parse('* a\n'), items[1]!)).toThrow(RangeError)
})

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

test('many lines are patched where they differ', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', ''), { maxLength: 9 })
  fc.assert(
    fc.property(lines, lines, (old, put) => {
      const text = old.join('\n')
      const wanted = put.join('\n')
      expect(applyPatches(text, linePatches(text, 0, text.length, wanted))).toBe(wanted)
    }),
  )
  expect(linePatches('a\nsame\nb\n', 0, 9, 'x\nsame\ny\n')).toEqual([
    { begin: 0, end: 1, text: 'x' },
    { begin: 7, end: 8, text: 'y' },
  ])
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
