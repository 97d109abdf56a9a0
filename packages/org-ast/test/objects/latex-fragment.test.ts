import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test.each([
  ['$a+b$.', '$a+b$'],
  ['\\foo{a}[b]c', '\\foo{a}[b]'],
  ['\\(a\\)b', '\\(a\\)'],
  ['\\[a\nb\\]', '\\[a\nb\\]'],
  ['$$a$b$$c', '$$a$b$$'],
])('%j', (text, value) => {
  expect(second(text)).toMatchObject({ type: 'latex-fragment', value })
})

test('money is not mathematics', () => {
  expect(second('from $5 to $10, or $20')).toBeUndefined()
})
