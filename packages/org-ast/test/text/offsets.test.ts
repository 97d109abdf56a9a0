import fc from 'fast-check'
import { expect, test } from 'vitest'
import { convertOffsets } from '../../src/text/offsets.ts'

test('places in one text', () => {
  const text = 'aé日🌱\ud83c!'
  const utf16 = [0, 1, 2, 3, 5, 6, 7]
  expect(convertOffsets(text, utf16, 'utf16', 'code-points')).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(convertOffsets(text, utf16, 'utf16', 'utf8')).toEqual([0, 1, 3, 6, 10, 13, 14])
  expect(convertOffsets(text, [14, 3, 0], 'utf8', 'utf16')).toEqual([7, 2, 0])
  expect(convertOffsets(text, [4], 'utf16', 'utf16')).toEqual([3])
  expect(convertOffsets(text, [2, 4, 8], 'utf8', 'code-points')).toEqual([1, 2, 3])
  expect(() => convertOffsets(text, [15], 'utf8', 'utf16')).toThrow(RangeError)
  expect(() => convertOffsets(text, [-1], 'utf16', 'utf8')).toThrow(RangeError)
  expect(() => convertOffsets('', [Number.NaN], 'utf16', 'utf8')).toThrow(RangeError)
})

test('characters and bytes as the platform counts them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.boolean(), (whole, cut) => {
      const text = cut ? whole.slice(1) : whole
      const before = [...text].map((_, index, all) => all.slice(0, index).join(''))
      const [utf16, utf8] = [
        before.map(({ length }) => length),
        before.map((start) => new TextEncoder().encode(start).length),
      ]
      const points = before.map((_, index) => index)
      expect(convertOffsets(text, utf16, 'utf16', 'utf8')).toEqual(utf8)
      expect(convertOffsets(text, utf8, 'utf8', 'code-points')).toEqual(points)
      expect(convertOffsets(text, points, 'code-points', 'utf16')).toEqual(utf16)
    }),
  )
})
