test.each(['', 'u', 'iu', 'v'])('an escaped text matches itself (flags: %s)', (flags) => {
  const text = fc
    .array(fc.constantFrom(...'\\^$.*+?()[]{}|/-,#& \n1aé日'))
    .map((all) => all.join(''))
  fc.assert(
    fc.property(text, text, (one, other) => {
      const pattern = new RegExp(`^${escapePattern(one)}$`, flags)
      expect(pattern.test(one)).toBe(true)
      expect(pattern.test(other)).toBe(one === other)
    }),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapePattern } from '../src/link.ts'
import type { Paragraph } from '../src/nodes.ts'
import { parse } from '../src/parse.ts'
import { walk } from '../src/query.ts'

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
  ['<mailto:a b>', { format: 'angle', linkType: 'mailto', path: 'a b' }],
  ['see https://x.org/a_(b), ok', { format: 'plain', rawLink: 'https://x.org/a_(b)' }],
])('%s', (text, expected) => {
  expect(link(text)).toMatchObject(expected)
})

test('what has no known type is no plain link', () => {
  expect(link('note: this')).toBeUndefined()
  expect(link('xhttps://a.b')).toBeUndefined()
})

test('mentions of a radio target are links', () => {
  const text =
    'A <<<home page>>> here.\nThe Home  page and the homepage, home\npage too, *home page*.\n'
  const found: string[] = []
  walk(parse(text), (node) => {
    if (node.type === 'link') found.push(`${node.linkType} ${JSON.stringify(node.path)}`)
  })
  expect(found).toEqual(['radio "Home  page"', 'radio "home\\npage"', 'radio "home page"'])
})
