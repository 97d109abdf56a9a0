import { expect, test } from 'vitest'
import { firstHunk } from '../../src/run/check.ts'

test.each([
  ['a\nb\nc\n', 'a\nB\nc\n', { orgLine: 12, codeLine: 2, found: ['b'], wanted: ['B'] }],
  ['a\nx\nb\nc\n', 'a\nb\nc\n', { orgLine: 12, codeLine: 2, found: ['x'], wanted: [] }],
  ['a\nc\n', 'a\nb\nc\n', { orgLine: 12, codeLine: 2, found: [], wanted: ['b'] }],
  ['', 'a\nb\nc\n', { orgLine: 11, codeLine: 1, found: [''] }],
])('%j against %j', (found, wanted, hunk) => {
  expect(firstHunk(found, wanted, [11, 12, 13])).toMatchObject(hunk)
})

test('the gap between two blocks counts as the second', () => {
  expect(firstHunk('a\nb\n', 'a\n\nb\n', [11, 0, 20])?.orgLine).toBe(20)
  expect(firstHunk('a\n', 'a\n', [11])).toBeNull()
})
