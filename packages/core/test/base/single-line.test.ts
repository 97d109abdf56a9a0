import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isHeaderField,
  isSingleLine,
  lineEnds,
  onOneLine,
  singleLine,
} from '../../src/base/single-line.ts'

test('no control character gets through, wherever it stands', () => {
  const codes = [...Array(32).keys(), ...Array.from({ length: 33 }, (_, at) => 0x7f + at)]
  const breaks = fc.constantFrom(...codes, 0x2028, 0x2029)
  const plain = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(isSingleLine)
  fc.assert(
    fc.property(plain, breaks, plain, (before, code, after) => {
      expect(singleLine().safeParse(before + after).success).toBe(true)
      const broken = before + String.fromCodePoint(code) + after
      expect(singleLine().max(1_000).safeParse(broken).success).toBe(false)
    }),
  )
})

test('the schema that a model sees is an ordinary string', () => {
  expect(singleLine().max(9).toJSONSchema()).toMatchObject({ type: 'string', maxLength: 9 })
  expect(JSON.stringify(singleLine().toJSONSchema())).not.toContain('pattern')
})

test('a quoted text is one line', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(isSingleLine(onOneLine(text))).toBe(true)
      for (const part of text.split(lineEnds)) expect(onOneLine(text)).toContain(onOneLine(part))
    }),
  )
  expect(onOneLine('a\r\n\u2028b\x1b[2J')).toBe('a b [2J')
})

test.each(['to', 'Bcc', 'subject', 'mail.subject', 'replyTo', 'file_name', 'headers.x-id', 'url'])(
  '%s is a header',
  (field) => {
    expect(isHeaderField(field)).toBe(true)
  },
)

test.each(['body', 'text', 'content', 'message', 'code', 'subjects.text', 'pathology', 'name'])(
  '%s is none',
  (field) => {
    expect(isHeaderField(field)).toBe(false)
  },
)
