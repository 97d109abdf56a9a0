import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeCode, unescapeCode } from '../../src/text/escape.ts'

test('a guarded line loses one comma', () => {
  expect(unescapeCode(',* a\n  ,,#+b\n,c')).toBe('* a\n  ,#+b\n,c')
  expect(escapeCode('* a\n  ,#+b\n,c')).toBe(',* a\n  ,,#+b\n,c')
})

test('escaping can be undone', () => {
  const text = fc.string({ unit: fc.constantFrom(',', '*', '#', '+', ' ', '\n', 'a') })
  fc.assert(
    fc.property(text, (code) => {
      expect(unescapeCode(escapeCode(code))).toBe(code)
    }),
  )
})
