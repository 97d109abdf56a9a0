import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test('affiliated keywords belong to the element below, or stand alone', () => {
  expect(sketch(parse('#+name: a\ntext\n'))).toBe('(section (paragraph "text\\n"))')
  expect(sketch(parse('#+name: a\n\ntext\n'))).toBe('(section (keyword) (paragraph "text\\n"))')
  expect(sketch(parse('#+name: a'))).toBe('(section (keyword))')
  expect(sketch(parse('#+name: a\n# b\n'))).toBe('(section (keyword) (comment))')
})

test('captions are parsed', () => {
  expect(parse('#+caption[*a*]: b /c/\n#+label: d\nx\n').children[0]!.children[0]).toMatchObject({
    name: 'd',
    affiliated: [
      {
        key: 'CAPTION',
        value: 'b /c/',
        position: { start: { line: 1 } },
        children: [{ value: 'b ' }, { type: 'italic' }],
        dualChildren: [{ type: 'bold' }],
      },
      { key: 'NAME', dual: null, children: [] },
    ],
  })
})

test('a hundred thousand names for nothing are keywords', () => {
  const section = parse('#+name: x\n'.repeat(100_000)).children[0]!
  expect(section.children).toHaveLength(100_000)
})
