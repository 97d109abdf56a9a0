import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'

function second(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test('a call has a name, headers and arguments', () => {
  expect(second('call_f[a](g(1), 2)[ b ]')).toMatchObject({
    type: 'inline-babel-call',
    call: 'f',
    insideHeader: 'a',
    arguments: 'g(1), 2',
    endHeader: 'b',
  })
  expect(second('call_f[a]')).toMatchObject({ type: 'subscript' })
})

test('very many beginnings are only text', () => {
  const text = 'call_@@a:\\alpha{}'.repeat(60_000)
  expect(parse(text).endOffset).toBe(text.length)
})
