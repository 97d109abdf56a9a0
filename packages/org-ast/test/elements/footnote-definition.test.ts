import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test('a footnote definition ends at two blank lines', () => {
  expect(sketch(parse('[fn:1] a\n\nb\n\n\nc\n'))).toBe(
    '(section (footnote-definition (paragraph "a\\n") (paragraph "b\\n")) (paragraph "c\\n"))',
  )
})

test('what stands above a definition belongs to it', () => {
  const section = parse('[fn:1] a\n#+caption: b\n[fn:2] c\n').children[0]!
  expect(section.children).toMatchObject([
    { label: '1', affiliated: [] },
    { label: '2', affiliated: [{ key: 'CAPTION' }] },
  ])
})
