import { expect, test } from 'vitest'
import { printContents } from '../../src/stringify/elements.ts'
import { Printer, type StringifyOptions } from '../../src/stringify/objects.ts'
import type { Draft, ElementDraft } from '../../src/tree/draft.ts'
import type { OrgContent } from '../../src/tree/nodes.ts'

const print = (element: Draft<OrgContent>, options: StringifyOptions = {}) =>
  printContents([element], new Printer(options))
const text = (value: string) =>
  ({ type: 'paragraph', children: [{ type: 'plain-text', value }] }) as const

test('an element ends in a newline and keeps its blank lines', () => {
  expect(print({ ...text('a'), postBlank: 1 })).toBe('a\n\n')
  expect(print({ type: 'paragraph' })).toBe('')
  expect(print({ type: 'quote-block', children: [text('a\n')] })).toBe(
    '#+begin_quote\na\n#+end_quote\n',
  )
})

test('what is empty stays a block', () => {
  expect(print({ type: 'quote-block' })).toBe('#+begin_quote\n#+end_quote\n')
  expect(print({ type: 'verse-block' })).toBe('#+begin_verse\n#+end_verse\n')
  expect(print({ type: 'dynamic-block', blockName: 'x' })).toBe('#+begin: x\n#+end:\n')
  expect(print({ type: 'property-drawer' })).toBe(':PROPERTIES:\n:END:\n')
})

test('keywords stand above their element, kind by kind', () => {
  const affiliated = [
    { key: 'ATTR_HTML', value: ':a 1' },
    { key: 'CAPTION', value: 'long', dual: 'short' },
    { key: 'NAME', value: 'old' },
    { key: 'ATTR_HTML', value: ':b 2' },
  ]
  expect(print({ ...text('x'), affiliated })).toBe(
    '#+attr_html: :a 1\n#+attr_html: :b 2\n#+caption[short]: long\n#+name: old\nx\n',
  )
  expect(print({ ...text('x'), affiliated: affiliated.slice(2, 3), name: 'new' })).toBe(
    '#+name: new\nx\n',
  )
  expect(print({ ...text('x'), name: 'n' })).toBe('#+name: n\nx\n')
})

test('a list is counted and indented', () => {
  const item = (value: string, bullet: string, children: ElementDraft[] = []) =>
    ({ type: 'item', bullet, preBlank: 0, children: [text(value), ...children] }) as const
  const inner = { type: 'plain-list', children: [item('b', '* '), item('c', '+')] } as const
  expect(print({ type: 'plain-list', children: [item('a', '7) ', [inner]), item('d', '')] })).toBe(
    '1. a\n   - b\n   - c\n2. d\n',
  )
})

test('an item has a box, a counter and a term', () => {
  const tag = [{ type: 'plain-text', value: 't' }] as const
  const children = [{ type: 'item', checkbox: 'on', tag, children: [text('x\n')] }] as const
  expect(print({ type: 'plain-list', children })).toBe('- [X] t ::\u0020\n     x\n')
  expect(
    print({ type: 'plain-list', children: [{ type: 'item', counter: 3, bullet: '1.' }] }),
  ).toBe('3. [@3]\u0020\n')
})

test('a footnote begins behind its label', () => {
  const note = { type: 'footnote-definition', label: '1', children: [text('x')] } as const
  expect(print({ ...note, preBlank: 0 })).toBe('[fn:1] x\n')
  expect(print(note)).toBe('[fn:1]\nx\n')
  expect(print({ type: 'footnote-definition', label: '1' })).toBe('[fn:1]\n')
})

test('a table is aligned', () => {
  const cell = (value: string) =>
    ({ type: 'table-cell', children: [{ type: 'plain-text', value }] }) as const
  const rule = { type: 'table-row', rowType: 'rule' } as const
  const rows = [{ type: 'table-row', children: [cell('a'), cell('12')] }, rule] as const
  expect(print({ type: 'table', children: rows, tblfm: ['$2=1'] })).toBe(
    '| a | 12 |\n|---+----|\n#+TBLFM: $2=1\n',
  )
})

test('a headline is put together from its parts', () => {
  const title = [{ type: 'plain-text', value: 'x' }] as const
  const headline = { type: 'headline', level: 2, title } as const
  expect(print(headline)).toBe('** x\n')
  expect(print({ ...headline, todoKeyword: 'TODO', priority: 'A', commentedp: true })).toBe(
    '** TODO [#A] COMMENT x\n',
  )
  expect(print({ ...headline, tags: ['a', 'b'], preBlank: 1 })).toBe(
    `** x${' '.repeat(68)}:a:b:\n\n`,
  )
  expect(print({ ...headline, tags: ['a'] }, { tagsColumn: 0 })).toBe('** x :a:\n')
  expect(print({ ...headline, tags: ['a'] }, { tagsColumn: 6 })).toBe('** x  :a:\n')
})
