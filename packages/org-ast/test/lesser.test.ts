import { expect, test } from 'vitest'
import { parse } from '../src/parse.ts'
import { sketch } from './sketch.ts'

test('comments and fixed-width text lose their marks', () => {
  const section = parse('# a\n#\n#  b\n: x\n:  y\n#tag\n').children[0]!
  expect(section.children).toMatchObject([
    { type: 'comment', value: 'a\n\n b' },
    { type: 'fixed-width', value: 'x\n y' },
    { type: 'paragraph' },
  ])
})

test('a footnote definition ends at two blank lines', () => {
  expect(sketch(parse('[fn:1] a\n\nb\n\n\nc\n'))).toBe(
    '(section (footnote-definition (paragraph "a\\n") (paragraph "b\\n")) (paragraph "c\\n"))',
  )
})

test('a clock has a duration when it is closed', () => {
  const text = 'CLOCK: [2026-11-21 Sat 09:00]--[2026-11-21 Sat 10:30] =>  1:30\n'
  expect(parse(text).children[0]!.children[0]).toMatchObject({
    type: 'clock',
    status: 'closed',
    duration: '1:30',
    value: { timestampType: 'inactive-range', end: { hour: 10, minute: 30 } },
  })
})
