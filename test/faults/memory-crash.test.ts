import { expect, test } from 'vitest'
import { crash } from './memory-crash.ts'

test('what was acknowledged outlives the daemon', { timeout: 240_000 }, async () => {
  const { faults, steps } = await crash(12)
  expect(faults).toEqual([])
  expect(steps).toBeGreaterThan(24)
})
