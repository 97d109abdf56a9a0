import { expect, test } from 'vitest'
import { crash } from './gateway-crash.ts'

test('nothing is lost, and nothing is said twice in silence', { timeout: 240_000 }, async () => {
  const { answered, faults, interrupted, written } = await crash(5)
  expect(faults).toEqual([])
  expect(written).toBeGreaterThanOrEqual(10)
  expect(answered + interrupted).toBeGreaterThanOrEqual(written)
})
