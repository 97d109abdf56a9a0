import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test.each([
  ['\\alpha{}b', { name: 'alpha', useBracketsP: true, utf8: 'α' }],
  ['\\alpha2', { name: 'alpha', useBracketsP: false }],
  ['\\frac12 ', { name: 'frac12', html: '&frac12;' }],
  ['\\_  x', { name: '_  ' }],
])('%s', (text, expected) => {
  expect(second(text)).toMatchObject({ type: 'entity', ...expected })
})

test("a name that is nobody's is a command", () => {
  expect(second('\\foo')).toMatchObject({ type: 'latex-fragment' })
})
