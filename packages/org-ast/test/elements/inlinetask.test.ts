import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test('an inlinetask interrupts a section', () => {
  const stars = '*'.repeat(15)
  const text = `a\n${stars} TODO b\nSCHEDULED: <2026-11-21 Sat>\nc\n${stars} END\nd\n`
  expect(sketch(parse(text, { inlinetaskLevel: 15 }))).toBe(
    '(section (paragraph "a\\n") (inlinetask (planning) (paragraph "c\\n")) (paragraph "d\\n"))',
  )
  expect(sketch(parse(text))).toContain('(headline "b"')
})
