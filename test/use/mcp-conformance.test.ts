import { expect, test } from 'vitest'
import { runConformance } from './mcp-conformance.ts'

test('every scenario that applies passes, in both roles and revisions', async () => {
  const { failures, outcomes, text } = await runConformance()
  console.log(text)
  expect(failures).toEqual([])
  const count = (role: string, revision: string) =>
    outcomes.filter((one) => one.role === role && one.revision === revision && one.reason === null)
      .length
  expect(count('server', '2025-11-25')).toBeGreaterThanOrEqual(22)
  expect(count('server', '2026-07-28')).toBeGreaterThanOrEqual(36)
  expect(count('client', '2025-11-25')).toBeGreaterThanOrEqual(3)
  expect(count('client', '2026-07-28')).toBeGreaterThanOrEqual(6)
}, 300_000)
