import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test('code in a line is found at its underscore', () => {
  expect(second('src_sh[:r x\n  :s]{a {b}}')).toMatchObject({
    type: 'inline-src-block',
    language: 'sh',
    parameters: ':r x :s',
    value: 'a {b}',
  })
  expect(parse('mysrc_sh{a}').children[0]!.children[0]).toMatchObject({
    children: [{ value: 'mysrc' }, { type: 'subscript' }, { value: '{a}' }],
  })
})

test('very many beginnings are only text', () => {
  const text = ']src_'.repeat(60_000)
  expect(parse(text).endOffset).toBe(text.length)
})
