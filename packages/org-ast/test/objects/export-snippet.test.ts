import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test('a snippet ends at the next mark', () => {
  expect(second('@@html:<b>@@')).toMatchObject({ backEnd: 'html', value: '<b>' })
  expect(second('@@html:<b>')).toBeUndefined()
})
