import { expect, test } from 'vitest'
import { applyPatches } from '../../src/edit/edit.ts'
import { type SortRequest, sortChildren } from '../../src/edit/sort.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

function sorted(text: string, title: string, request: SortRequest): string {
  const tree = parse(text)
  const parent = [...headlines(tree)].find(({ rawValue }) => rawValue === title)!
  return applyPatches(text, sortChildren(text, tree, parent, request))
}

test.each([
  ['title', false, '* p\n** a\n\n** =B=\nx\n** DONE c\n** TODO [#A] d\n\n'],
  ['title', true, '* p\n** TODO [#A] d\n** DONE c\n** =B=\nx\n** a\n\n\n'],
  ['todo', false, '* p\n** TODO [#A] d\n** =B=\nx\n** a\n\n** DONE c\n\n'],
  ['priority', false, '* p\n** TODO [#A] d\n** DONE c\n** =B=\nx\n** a\n\n\n'],
] as const)('sorted by %s, descending: %s', (by, descending, expected) => {
  const text = '* p\n** DONE c\n** =B=\nx\n** TODO [#A] d\n** a\n\n\n'
  expect(sorted(text, 'p', { by, descending })).toBe(expected)
})

test('nothing to sort', () => {
  const text = '* p\n*** a\n** b\n* q'
  expect(() => sorted(text, 'q', { by: 'title' })).toThrow('Nothing to sort')
  expect(() => sorted(text, 'p', { by: 'title' })).toThrow('different levels')
})
