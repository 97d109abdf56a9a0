import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test('arguments are separated by commas without a backslash', () => {
  expect(second('{{{A(b\\,c,\\\\,d\n  e)}}}')).toMatchObject({
    type: 'macro',
    key: 'a',
    args: ['b,c', '\\', 'd e'],
  })
  expect(second('{{{a}}}')).toMatchObject({ args: [] })
  expect(second('{{{a(}}}')).toBeUndefined()
})
