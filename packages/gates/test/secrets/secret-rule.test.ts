import { expect, test } from 'vitest'
import { sample } from '../../src/secrets/secret-rule.ts'

test('a sample has its alphabet, its length and nothing by chance', () => {
  expect(sample('hex', 40)).toMatch(/^[0-9a-f]{40}$/)
  expect(sample('hex', 40)).toBe(sample('hex', 40))
  expect(sample('hex', 40, 8)).not.toBe(sample('hex', 40))
})
