import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test.each([
  ['_1.', { type: 'subscript', useBracketsP: false, children: [{ value: '1' }] }],
  ['^{a_{b}}', { type: 'superscript', useBracketsP: true }],
  ['_(a)', { type: 'subscript', useBracketsP: false, children: [{ value: '(a)' }] }],
  ['^*', { type: 'superscript', children: [{ value: '*' }] }],
  ['_-2.5x', { type: 'subscript', children: [{ value: '-2.5x' }] }],
])('%s', (text, expected) => {
  expect(second(text)).toMatchObject(expected)
})

test('what hangs on nothing, or too deep, is text', () => {
  expect(second(' ^a')).toBeUndefined()
  expect(second('^{a{b{c{d}}}}')).toBeUndefined()
  expect(second('^.')).toBeUndefined()
})
