import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test('a target has a name without blanks at its ends', () => {
  expect(second('<<a b>>')).toMatchObject({ type: 'target', value: 'a b' })
  expect(second('<<a >>')).toBeUndefined()
  expect(second('<< a>>')).toBeUndefined()
})
