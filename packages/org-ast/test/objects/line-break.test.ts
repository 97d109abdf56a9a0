import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test('a line break takes the end of its line', () => {
  const paragraph = parse('x \\\\ \n  y').children[0]!.children[0] as Paragraph
  expect(paragraph.children[2]).toMatchObject({ type: 'plain-text', value: '  y' })
  expect(second('\\\\\\')).toBeUndefined()
})
