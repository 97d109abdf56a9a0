import { expect, test } from 'vitest'
import { applyPatches, type Patch } from '../../src/edit/edit.ts'
import { deleteProperty, ensureId, setProperty } from '../../src/edit/property.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline, OrgData } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

type Edit = (text: string, entry: Headline | OrgData) => Patch[]
function edited(text: string, edit: Edit): string {
  const tree = parse(text)
  return applyPatches(text, edit(text, [...headlines(tree)][0] ?? tree))
}

test.each([
  ['* x\n', '* x\n:PROPERTIES:\n:ID:       7\n:END:\n'],
  ['* x', '* x\n:PROPERTIES:\n:ID:       7\n:END:\n'],
  ['* x\n:PROPERTIES:\n:id: 6\n:END:\n', '* x\n:PROPERTIES:\n:ID:       7\n:END:\n'],
  [
    '* x\r\n  DEADLINE: <2026-11-22 Sun>\r\nText.\r\n',
    '* x\r\n  DEADLINE: <2026-11-22 Sun>\r\n  :PROPERTIES:\r\n  :ID:       7\r\n  :END:\r\nText.\r\n',
  ],
  ['* x\n:PROPERTIES:\n:ID+: 7\n:END:\n', '* x\n:PROPERTIES:\n:ID+: 7\n:END:\n'],
  ['', ':PROPERTIES:\n:ID:       7\n:END:\n'],
  ['# c\n\ntext', '# c\n:PROPERTIES:\n:ID:       7\n:END:\n\ntext'],
])('%j gets an ID', (text, expected) => {
  expect(edited(text, (source, at) => setProperty(source, at, 'ID', '7'))).toBe(expected)
})

test.each([
  ['ID', '7\n* Own headline', 'line break'],
  ['todo', 'DONE', 'edit of its own'],
  ['a b', '', 'no property name'],
])('%s cannot be %j', (name, value, message) => {
  expect(() => edited('* x\n', (text, at) => setProperty(text, at, name, value))).toThrow(message)
})

test.each([
  [':id: 1\n', ''],
  [':ID: 1\n:ID+: 2\n', ''],
  [':ID: 1\n:B: 2\n', ':PROPERTIES:\n:B: 2\n:END:\n'],
  [':B: 2\n', ':PROPERTIES:\n:B: 2\n:END:\n'],
])('%j loses its ID', (lines, expected) => {
  const text = `* x\n:PROPERTIES:\n${lines}:END:\ntext`
  const after = edited(text, (source, at) => deleteProperty(source, at, 'ID'))
  expect(after).toBe(`* x\n${expected}text`)
})

test('an identity is given once', () => {
  const once = edited('* x\n', (text, at) => ensureId(text, at, '7'))
  expect(once).toBe('* x\n:PROPERTIES:\n:ID:       7\n:END:\n')
  expect(edited(once, (text, at) => ensureId(text, at, '8'))).toBe(once)
})
