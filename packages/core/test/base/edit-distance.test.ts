import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance } from '../../src/base/edit-distance.ts'

test('the distance between two words', () => {
  expect(editDistance('pasport', 'passport', 2)).toBe(1)
  expect(editDistance('recieve', 'receive', 2)).toBe(1)
  expect(editDistance('kitten', 'sitting', 5)).toBe(3)
  expect(editDistance('kitten', 'sitting', 2)).toBe(3)
  const word = fc.stringMatching(/^[ab]{0,6}$/)
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b, 9)
      expect(editDistance(a, a, 9)).toBe(0)
      expect(editDistance(b, a, 9)).toBe(distance)
      expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length))
      expect(editDistance(a, b, 1)).toBe(Math.min(distance, 2))
    }),
  )
})
