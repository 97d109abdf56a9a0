import { expect, test } from 'vitest'
import { parseIgnore } from '../../src/base/ignore.ts'

test.each([
  ['mail.org', ['mail.org', 'a/mail.org'], ['mail.orga', 'xmail.org']],
  ['/mail.org', ['mail.org'], ['a/mail.org']],
  ['a/b.org', ['a/b.org'], ['x/a/b.org']],
  ['*.draft.org', ['x.draft.org', 'a/y.draft.org'], ['draft.org']],
  ['**/old', ['old', 'a/b/old'], ['older']],
  ['a/**', ['a/x', 'a/b/c'], ['a', 'ba/x']],
  ['a/**/z.org', ['a/z.org', 'a/b/c/z.org'], ['z.org']],
  ['no?e.org', ['note.org', 'node.org'], ['noe.org', 'no/e.org']],
  ['[a-c]x.org', ['ax.org', 'cx.org'], ['dx.org']],
  ['[!a]x.org', ['bx.org'], ['ax.org']],
  ['*.org\n!keep.org', ['a.org'], ['keep.org']],
  ['# a.org', [], ['a.org', '# a.org']],
  ['\\#a.org', ['#a.org'], []],
  ['a.org   ', ['a.org'], []],
  ['[z-a]\n(.org', ['z', '(.org'], ['a', 'b']],
])('%j', (text, ignored, kept) => {
  const isIgnored = parseIgnore(text)
  expect(ignored.filter((path) => !isIgnored(path, false))).toEqual([])
  expect(kept.filter((path) => isIgnored(path, false))).toEqual([])
})

test('a slash at the end is about folders', () => {
  const isIgnored = parseIgnore('old/')
  expect([isIgnored('old', true), isIgnored('a/old', true), isIgnored('old', false)]).toEqual([
    true,
    true,
    false,
  ])
})
