import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable, refusalOf } from '../../src/base/printing.ts'

test('what a terminal obeys is shown', () => {
  expect(printable('\x1b[2J\x1b]0;t\x07 a\tb\r\nc\r\x9b1m\x7f')).toBe(
    '␛[2J␛]0;t␇ a\tb\nc␍\\u009b1m\\u007f',
  )
  expect(printable('a\u202eb\u{e0041}\ud800')).toBe('a\\u202eb\\udb40\\udc41\\ud800')
  expect(printable('👩‍🔧 \u200fאב é')).toBe('👩‍🔧 \u200fאב é')
  expect(printable('\x1b[31mred\x1b[0m \x1b[8m', true)).toBe('\x1b[31mred\x1b[0m ␛[8m')
  expect(printable('\x1b[31mred')).toBe('␛[31mred')
})

test('any text is printable, and JSON means the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const clean = printable(text)
      expect(clean).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/)
      expect(printable(clean)).toBe(clean)
      expect(JSON.parse(printable(JSON.stringify({ [text]: text })))).toEqual({ [text]: text })
    }),
  )
})

test('a refusal of the system is told in words', () => {
  const error = (code: string) => Object.assign(new Error(`${code}: no, open '/x'`), { code })
  expect(refusalOf(error('EROFS'))).toBe('its disk is read-only')
  expect(refusalOf(error('EDQUOT'))).toBe('its disk is full')
  expect([refusalOf(error('EBUSY')), refusalOf('EROFS')]).toEqual([null, null])
})
