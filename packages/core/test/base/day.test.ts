import { expect, test } from 'vitest'
import {
  dayNumber,
  dayText,
  leadDays,
  localDay,
  repeatsWithin,
  repetitionsOf,
} from '../../src/base/day.ts'

test.each([
  ['<2026-11-03 Tue +1w>', ['2026-11-24'], ['2026-11-03', '2026-11-25', '2026-10-27']],
  ['<2026-11-03 Tue ++2d>', ['2026-11-05', '2027-01-02'], ['2026-11-06']],
  ['<2027-01-31 Sun +1m>', ['2027-03-03', '2027-03-31'], ['2027-02-28', '2027-03-01']],
  ['<2028-02-29 Tue +1y>', ['2029-03-01', '2032-02-29'], ['2029-02-28']],
  ['<2026-11-21 Sat 08:00 .+36h>', ['2026-11-22', '2026-11-24'], ['2026-11-23']],
  ['<2026-11-21 Sat>', [], ['2026-12-01']],
  ['<2026-11-21 Sat +0d>', [], ['2026-11-22']],
] as const)('%s falls on %s', (stamp, days, others) => {
  const repeats = repetitionsOf(stamp)
  for (const day of days) expect(repeats(dayNumber(day)), day).toBe(true)
  for (const day of others) expect(repeats(dayNumber(day)), day).toBe(false)
})

test('a span has a repetition in it, or none', () => {
  const within = (from: string, to: string) =>
    repeatsWithin('<2026-11-03 Tue +1m>', dayNumber(from), dayNumber(to))
  expect(within('2026-10-01', '2026-11-03')).toBe(true)
  expect(within('2027-02-01', '2027-02-03')).toBe(true)
  expect(within('2027-02-04', '2027-03-02')).toBe(false)
  expect(within('2026-01-01', '2026-11-02')).toBe(false)
  expect(repeatsWithin('<2026-11-03 Tue>', dayNumber('2026-11-04'), Infinity)).toBe(false)
  expect(dayText(dayNumber('2027-02-30'))).toBe('2027-03-02')
  expect(dayText(localDay(new Date(2026, 10, 21, 23, 59)))).toBe('2026-11-21')
  expect(dayNumber('soon')).toBeNaN()
})

test.each([
  ['<2026-11-03 Tue -3d>', 3],
  ['<2026-11-03 Tue +1w --2d>', 2],
  ['<2026-11-03 Tue -1m>', 30],
  ['<2026-11-03 Tue -23h>', 0],
  ['<2026-11-03 Tue 10:00-11:00>', null],
])('%s leads by %s days', (stamp, days) => {
  expect(leadDays(stamp)).toBe(days)
})
