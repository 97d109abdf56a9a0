import { expect, test } from 'vitest'
import { applyPatches } from '../../src/edit/edit.ts'
import { cancelRepeaters, nextOccurrence, repeatsEvery } from '../../src/edit/repeat.ts'

const now = new Date(2026, 10, 21, 9, 5)

test('a repeater is cancelled by a zero', () => {
  const text =
    'in +3d <2026-11-21 Sat .+12w/3m -3d> <2026-11-21 +1d> <2026-11-21 +0d> [2026-11-21 +1d]'
  expect(applyPatches(text, cancelRepeaters(text))).toBe(
    'in +3d <2026-11-21 Sat .+0w/3m -3d> <2026-11-21 +0d> <2026-11-21 +0d> [2026-11-21 +1d]',
  )
})

test.each([
  ['<2026-01-31 Sat +1m>', '<2026-03-03 Tue +1m>'],
  ['<2026-01-31 ++1m>', '<2026-12-03 Thu ++1m>'],
  ['<2026-11-10 Tue 09:00 ++1w -3d>', '<2026-11-24 Tue 09:00 ++1w -3d>'],
  ['<2026-02-01 Sun .+3d>', '<2026-11-24 Tue .+3d>'],
  ['<2026-11-21 Sat ++1w>', '<2026-11-28 Sat ++1w>'],
  ['<2025-12-06 Sat +1y>', '<2026-12-06 Sun +1y>'],
  ['<2026-11-21 Sat 08:30 .+2h>', '<2026-11-21 Sat 11:05 .+2h>'],
  ['<2026-11-21 Sat 8:30-9:00 ++1h>', '<2026-11-21 Sat 09:30-10:00 ++1h>'],
  ['<2026-11-21 Sat 08:30-09:00 ++1h>', '<2026-11-21 Sat 09:30-10:00 ++1h>'],
  ['<1999-01-01 Fri 08:30 ++1h>', '<2026-11-21 Sat 09:30 ++1h>'],
  ['<1999-01-01 Fri ++3d>', '<2026-11-23 Mon ++3d>'],
  ['<0001-01-31 Wed ++1m>', '<2026-12-03 Thu ++1m>'],
  ['<1000-02-28 Fri ++3w>', '<2026-12-04 Fri ++3w>'],
  ['<1904-02-29 Mon ++1y>', '<2027-03-01 Mon ++1y>'],
  ['<2026-11-20 Fri +1d/3d --2d>', '<2026-11-21 Sat +1d/3d>'],
  ['<2026-11-21 Sat +1h>', null],
  ['<2026-11-21 Sat>', null],
  ['<2026-11-21 Sat +0d>', null],
  ['<2026-11-21 Sat +9999999999d>', null],
])('%s comes again at %s', (timestamp, expected) => {
  expect(nextOccurrence(timestamp, now)).toBe(expected)
})

test('every so often', () => {
  expect(repeatsEvery('<2026-11-21 Sat -3d .+12w>')).toBe(12)
  expect(repeatsEvery('<2026-11-21 Sat>')).toBe(0)
})
