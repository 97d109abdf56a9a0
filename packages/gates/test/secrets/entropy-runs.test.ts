import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowsIn } from '../../src/secrets/entropy-runs.ts'

test('one pass finds what patterns find', () => {
  const longest = (text: string, pattern: RegExp) =>
    Math.max(0, ...[...text.matchAll(pattern)].map(([row]) => row.length))
  const letters = fc.constantFrom(
    ...Array.from('aZgq09+/=_-~. :,x\\\né'),
    'ABCD2345',
    'k3yk3yk3yk3yk3y',
  )
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 60 }), (text) => {
      expect(rowsIn(text)).toEqual({
        any: longest(text, /[A-Za-z0-9_+/=.~-]+/g),
        base64: longest(text, /[A-Za-z0-9+/_-]+/g),
        base32: longest(text, /[A-Z2-7]+/g),
        hex: longest(text, /[0-9A-Fa-fx\\ :,]+/g),
        key: [...text.matchAll(/[A-Za-z0-9_+-]{20,}/g)].some(
          ([row]) => /\d/.test(row) && /[g-zG-Z]/.test(row),
        ),
      })
    }),
  )
})
