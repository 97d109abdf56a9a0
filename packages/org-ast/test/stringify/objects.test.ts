import { expect, test } from 'vitest'
import { Printer, printCaption, printLines, printObjects } from '../../src/stringify/objects.ts'
import type { ObjectDraft } from '../../src/tree/draft.ts'

const print = (...objects: ObjectDraft[]) => printObjects(objects, new Printer())
const word = { type: 'plain-text', value: 'word' } as const

test('links are written by what they are', () => {
  const file = { type: 'link', linkType: 'file', path: 'a.org' } as const
  expect(print(file)).toBe('[[file:a.org]]')
  expect(print({ ...file, path: './a.org', searchOption: '*B' })).toBe('[[./a.org::*B]]')
  expect(print({ ...file, children: [word] })).toBe('[[file:a.org][word]]')
  expect(print({ ...file, application: 'emacs', format: 'angle' })).toBe('<file+emacs:a.org>')
  expect(print({ type: 'link', linkType: 'https', path: '//x.y', format: 'plain' })).toBe(
    'https://x.y',
  )
  expect(print({ type: 'link', linkType: 'custom-id', path: 'x', format: 'plain' })).toBe('[[#x]]')
})

test('a citation is put together from its parts', () => {
  const key = { type: 'citation-reference', key: 'k' } as const
  expect(print({ type: 'citation', children: [key, key] })).toBe('[cite:@k;@k]')
  expect(
    print({ type: 'citation', style: 't', prefix: [word], suffix: [word], children: [key] }),
  ).toBe('[cite/t:word;@k;word]')
})

test('footnotes, scripts and macros', () => {
  expect(print({ type: 'footnote-reference', label: 'a' })).toBe('[fn:a]')
  expect(print({ type: 'footnote-reference', children: [word] })).toBe('[fn::word]')
  expect(print({ type: 'subscript', useBracketsP: true, children: [word] })).toBe('_{word}')
  expect(print({ type: 'macro', key: 'm' })).toBe('{{{m}}}')
  expect(print({ type: 'macro', key: 'm', args: ['a,b', 'c\\', 'd\\'] })).toBe(
    '{{{m(a\\,b,c\\\\,d\\)}}}',
  )
})

test('blanks behind an object are put back', () => {
  const bold = { type: 'bold', children: [word], postBlank: 2 } as const
  expect(print(bold, { type: 'verbatim', value: 'v' })).toBe('*word*  =v=')
  expect(print({ type: 'italic', children: [bold] })).toBe('/*word*  /')
})

test('what the lines of a paragraph have in common is taken out', () => {
  const lines = (value: string, bullet = false) =>
    printLines([{ type: 'plain-text', value }], new Printer(), bullet)
  expect(lines('  a\n    b\n')).toBe('a\n  b\n')
  expect(lines('a\n    b\n')).toBe('a\n    b\n')
  expect(lines('a\n    b\n  c\n', true)).toBe('a\n  b\nc\n')
  expect(lines('  a\n \n \n  b\n')).toBe('a\n\n\nb\n')
})

test('the objects of a caption are printed', () => {
  expect(printCaption('a *b*\tc <2026-01-02>', new Printer())).toBe('a *b* c <2026-01-02 Fri>')
})
