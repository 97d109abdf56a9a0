import { expect, test } from 'vitest'
import type { Paragraph } from '../src/nodes.ts'
import { parse } from '../src/parse.ts'

function first(text: string) {
  const paragraph = parse(`x ${text}`).children[0]!.children[0] as Paragraph
  return paragraph.children[1]
}

test.each([
  ['\\alpha{}b', { type: 'entity', name: 'alpha', useBracketsP: true, utf8: 'α' }],
  ['\\foo{a}[b]', { type: 'latex-fragment', value: '\\foo{a}[b]' }],
  ['$a+b$.', { type: 'latex-fragment', value: '$a+b$' }],
  ['\\(a\\)', { type: 'latex-fragment', value: '\\(a\\)' }],
  ['\\\\\ny', { type: 'line-break' }],
  ['{{{A(b\\,c,d)}}}', { type: 'macro', key: 'a', args: ['b,c', 'd'] }],
  ['@@html:<b>@@', { type: 'export-snippet', backEnd: 'html', value: '<b>' }],
  ['<<a b>>', { type: 'target', value: 'a b' }],
  ['<<<a b>>>', { type: 'radio-target', value: 'a b' }],
  ['[fn:1]', { type: 'footnote-reference', label: '1', referenceType: 'standard' }],
  ['[fn::see [[a]]]', { type: 'footnote-reference', label: null, referenceType: 'inline' }],
  [
    '[cite/t:see @a p. 1; @b]',
    { type: 'citation', style: 't', children: [{ key: 'a' }, { key: 'b' }] },
  ],
  ['[2/3]', { type: 'statistics-cookie', value: '[2/3]' }],
])('%s', (text, expected) => {
  expect(first(text)).toMatchObject(expected)
})

test('code in a line is found at its underscore', () => {
  const paragraph = parse('x src_sh[:r x]{a {b}} call_f(1)[h]').children[0]!.children[0]
  expect(paragraph).toMatchObject({
    children: [
      { value: 'x ' },
      { type: 'inline-src-block', language: 'sh', parameters: ':r x', value: 'a {b}' },
      { type: 'inline-babel-call', call: 'f', arguments: '1', endHeader: 'h' },
    ],
  })
})

test('money is not mathematics', () => {
  expect(parse('from $5 to $10, or $20').children[0]!.children[0]).toMatchObject({
    children: [{ type: 'plain-text' }],
  })
})
