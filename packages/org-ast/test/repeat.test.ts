import { expect, test } from 'vitest'
import { nextOccurrence } from '../src/repeat.ts'
import { readTimestamp } from '../src/timestamp.ts'

const now = new Date(2026, 10, 21, 9, 5)
function next(timestamp: string): string | null {
  return nextOccurrence(readTimestamp(timestamp)!, now)
}

test.each([
  ['<2026-01-31 Sat +1m>', '<2026-03-03 Tue +1m>'],
  ['<2026-11-10 Tue 09:00 ++1w -3d>', '<2026-11-24 Tue 09:00 ++1w -3d>'],
  ['<2026-02-01 Sun .+3d>', '<2026-11-24 Tue .+3d>'],
  ['<2026-11-21 Sat ++1w>', '<2026-11-28 Sat ++1w>'],
  ['<2025-12-06 Sat +1y>', '<2026-12-06 Sun +1y>'],
  ['<2026-11-21 Sat 08:30 .+2h>', '<2026-11-21 Sat 11:05 .+2h>'],
  ['<2026-11-21 Sat>', null],
  ['<2026-11-21 Sat +0d>', null],
])('%s comes again at %s', (timestamp, expected) => {
  expect(next(timestamp)).toBe(expected)
})
