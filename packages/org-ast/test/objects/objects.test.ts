import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'
import { sketch } from '../parse/sketch.ts'

function objects(text: string): string {
  return (parse(text).children[0]!.children[0] as Paragraph).children.map(sketch).join(' ')
}

test('objects and text alternate', () => {
  expect(objects('a *b* c')).toBe('"a " (bold "b") "c"')
  expect(objects('*a /b/ c* =d= [[e][f]]')).toBe(
    '(bold "a " (italic "b") "c") (verbatim) (link "f")',
  )
})

test('a link may not stand in a link', () => {
  expect(objects('[[a][see https://x.org *now*]]')).toBe('(link "see https://x.org " (bold "now"))')
})

const marks = fc.constantFrom(
  '*',
  '/',
  '_',
  '+',
  '=',
  '~',
  '[',
  ']',
  '[[',
  '][',
  ']]',
  '<',
  '>',
  '<<',
  '>>',
  '\\',
  '\\\\',
  '$',
  '{',
  '}',
  '{{{m}}}',
  '@@',
  '^',
  ':',
  'https:',
  'src_a{',
  'call_b(',
  ')',
  '[fn:',
  '[cite:@',
  '\\(',
  'alpha',
  'x',
  ' ',
  '\n',
  '"',
  ',',
  '2/3',
  '<2026-11-21>',
)

test('objects cover any text', () => {
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 30 }), (parts) => {
      const text = `x${parts.join('')}`.replace(/\n+/g, '\nx')
      const paragraph = parse(text).children[0]!.children[0] as Paragraph
      let at = paragraph.contentsBegin
      for (const child of paragraph.children) {
        expect(child.position.start.offset).toBe(at)
        at = child.position.end.offset
      }
      expect(at).toBe(paragraph.contentsEnd)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  '[',
  '[[',
  '[[a][',
  ' *a',
  ' =a',
  '{{{a(',
  '<<<',
  '<https:',
  ' $a',
  '\\(',
  '\\[',
  '@@a:',
  '[fn:a:',
  '[cite:',
  'a_{',
  'src_a{',
  'call_a(',
  '*/_',
])('%s without an end takes linear time', (mark) => {
  const tree = parse(`x${mark.repeat(100_000)}`)
  expect(tree.position.end.offset).toBe(1 + mark.length * 100_000)
})

test.each([
  ['[[a](', ']]'],
  ['{{{a.', '}}}'],
  ['@@a ', '@@'],
  ['<<a\tb<', '>>'],
  ['<a ', '>'],
])('%s with an end far away takes linear time', (mark, end) => {
  const tree = parse(`x${mark.repeat(200_000)}${end}`)
  expect(tree.position.end.offset).toBe(1 + mark.length * 200_000 + end.length)
})
