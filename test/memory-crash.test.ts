import { expect, test } from 'vitest'
import { crash } from './memory-crash.ts'

test('what was acknowledged outlives the process', { timeout: 180_000 }, async () => {
  const { faults, edits } = await crash(24)
  expect(faults).toEqual([])
  expect(edits).toBeGreaterThan(24)
})
