import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test.each([
  ['[fn:1]', { label: '1', referenceType: 'standard', children: [] }],
  ['[fn::see [[a]]]', { label: null, referenceType: 'inline' }],
  ['[fn:a-b:c]', { label: 'a-b', children: [{ value: 'c' }] }],
])('%s', (text, expected) => {
  expect(second(text)).toMatchObject(expected)
})

test('a reference to nothing is text', () => {
  expect(second('[fn:]')).toBeUndefined()
  expect(second('[fn:a b]')).toBeUndefined()
})
