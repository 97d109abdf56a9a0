import { expect, test } from 'vitest'
import { parse } from '../src/parse.ts'
import { sketch } from './sketch.ts'

test('affiliated keywords belong to the element below, or stand alone', () => {
  expect(sketch(parse('#+name: a\ntext\n'))).toBe('(section (paragraph "text\\n"))')
  expect(sketch(parse('#+name: a\n\ntext\n'))).toBe('(section (keyword) (paragraph "text\\n"))')
  expect(sketch(parse('#+name: a'))).toBe('(section (keyword))')
})

test('the key ends at the last colon of the first word', () => {
  const tree = parse('#+a:b: c d ')
  expect(tree.children[0]!.children[0]).toMatchObject({ key: 'A:B', value: 'c d' })
})

test.each(['#+name: x\n# comment\n', '#+name: x\nCLOCK: [2026-01-01 Thu]\n'])(
  '%j is a paragraph',
  (text) => {
    expect(parse(text).children[0]!.children[0]).toMatchObject({ type: 'paragraph', name: 'x' })
  },
)

test('a hundred thousand names for nothing are keywords', () => {
  const section = parse('#+name: x\n'.repeat(100_000)).children[0]!
  expect(section.children).toHaveLength(100_000)
})
