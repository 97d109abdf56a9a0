import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function link(text: string) {
  const section = parse(`#+link: gh https://example.org/%s\n${text}`).children[0]!
  return (section.children[1] as Paragraph).children.find((child) => child.type === 'link')
}

test.each([
  ['[[file:a.org::*B][c]]', { linkType: 'file', path: 'a.org', searchOption: '*B' }],
  ['[[./a b.org]]', { linkType: 'file', path: './a b.org' }],
  ['[[#x]]', { linkType: 'custom-id', path: 'x' }],
  ['[[(ref)]]', { linkType: 'coderef', path: 'ref' }],
  ['[[*A \\[b\\]]]', { linkType: 'fuzzy', path: '*A [b]' }],
  ['[[gh:a]]', { linkType: 'https', path: '//example.org/a' }],
  [
    '<mailto:a\n  b>',
    { format: 'angle', linkType: 'mailto', path: 'ab', rawLink: 'mailto:a\n  b' },
  ],
  ['see https://x.org/a_(b), ok', { format: 'plain', rawLink: 'https://x.org/a_(b)' }],
])('%s', (text, expected) => {
  expect(link(text)).toMatchObject(expected)
})

test('what has no known type is no plain link', () => {
  expect(link('note: this')).toBeUndefined()
  expect(link('xhttps://a.b')).toBeUndefined()
})
