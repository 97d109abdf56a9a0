import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test.each(['[2/3]', '[/]', '[50%]', '[%]'])('%s is a cookie', (text) => {
  expect(second(text)).toMatchObject({ type: 'statistics-cookie', value: text })
})

test('a number in brackets is text', () => {
  expect(second('[2]')).toBeUndefined()
})
