import { expect, test } from 'vitest'
import { fuzzWire } from './wire-fuzz.ts'

test('nonsense changes nothing, and the honest client goes on', async () => {
  const { frames, pings, faults } = await fuzzWire(3_000, 2_026)
  expect(faults).toEqual([])
  expect(frames).toBeGreaterThanOrEqual(3_000)
  expect(pings).toBeGreaterThan(0)
})
