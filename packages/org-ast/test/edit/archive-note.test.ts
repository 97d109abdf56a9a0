import { expect, test } from 'vitest'
import { context, inherited, withProperties } from '../../src/edit/archive-note.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

function last(text: string) {
  const tree = parse(text)
  return { tree, headline: [...headlines(tree)].at(-1)! }
}

const drawer = (value: string) => `:PROPERTIES:\n:X: ${value}\n:END:\n`
test.each([
  [`${drawer('file')}* p\n${drawer('parent')}** a\n${drawer('own')}`, 'own'],
  [`${drawer('file')}* p\n${drawer('parent')}** a\n`, 'parent'],
  [`\n${drawer('file')}#+PROPERTY: x line\n* p\n** a\n`, 'file'],
  ['#+PROPERTY: x first\n#+PROPERTY: x line\n* a\n', 'line'],
  ['* a\n', null],
])('%j', (text, expected) => {
  const { tree, headline } = last(text)
  expect(inherited(tree, headline, 'X')).toBe(expected)
})

test('the note', () => {
  const request = { file: '/notes/a.b.org', now: new Date(2026, 10, 21, 9, 5) }
  const full = last(
    '#+FILETAGS: :f:t:\n#+CATEGORY: c\n* p [1/2] :t:u:\n** [[x][link]]  and [[y]] :u:\n*** TODO a :w:u:\n',
  )
  const always = [
    ['ARCHIVE_TIME', '2026-11-21 Sat 09:05'],
    ['ARCHIVE_FILE', '/notes/a.b.org'],
  ]
  expect(context(full.tree, full.headline, request)).toEqual([
    ...always,
    ['ARCHIVE_OLPATH', 'p/link  and y'],
    ['ARCHIVE_CATEGORY', 'c'],
    ['ARCHIVE_TODO', 'TODO'],
    ['ARCHIVE_ITAGS', 'f t'],
  ])
  const bare = last('* a\n')
  const category = ['ARCHIVE_CATEGORY', 'a.b']
  expect(context(bare.tree, bare.headline, request)).toEqual([...always, category])
})

test.each([
  ['* a', '* a\n:PROPERTIES:\n:X: 1\n:Y: 2\n:END:'],
  [
    '* a\r\n         DEADLINE: <2026-11-22 Sun>\r\nText.\r\n',
    '* a\r\n         DEADLINE: <2026-11-22 Sun>\r\n' +
      '\t :PROPERTIES:\r\n\t :X: 1\r\n\t :Y: 2\r\n\t :END:\r\nText.\r\n',
  ],
  [
    '* a\n  :PROPERTIES:\n\t:x: 0\n    :z: 3\n  :END:\n',
    '* a\n  :PROPERTIES:\n  :X: 1\n    :z: 3\n    :Y: 2\n  :END:\n',
  ],
])('%j', (text, expected) => {
  const notes: [string, string][] = [
    ['X', '1'],
    ['Y', '2'],
  ]
  expect(withProperties(text, last(text).headline, notes)).toBe(expected)
})
