import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable } from '../src/talk.ts'

test('a note cannot drive the terminal', () => {
  expect(printable('\x1b[2J\x1b]0;title\x07 a\tb\r\nc\x9b1m')).toBe(
    '␛[2J␛]0;title␇ a\tb\nc\ufffd1m',
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/)
    }),
  )
})
