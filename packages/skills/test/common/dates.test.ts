import { expect, test } from 'vitest'
import {
  addDays,
  addMonths,
  dayOf,
  daysBetween,
  dayWords,
  hoursWords,
  lastOfMonth,
  orgStamp,
  readOrgStamp,
  weekdayOf,
} from '../../src/common/dates.ts'

const now = new Date(2026, 10, 21, 9, 30)

test('days are added across months, years and leap days', () => {
  expect(dayOf(now)).toBe('2026-11-21')
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29')
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
  expect(addMonths('2027-01-31', 1)).toBe('2027-02-28')
  expect(addMonths('2026-11-21', -12)).toBe('2025-11-21')
  expect(lastOfMonth('2028-02-10')).toBe('2028-02-29')
  expect(daysBetween('2026-12-30', '2027-01-02')).toBe(3)
  expect(weekdayOf('2026-11-22')).toBe(0)
})

test.each([
  ['<2026-11-22 Sun>', '2026-11-22', null, null, null],
  ['<2026-11-22 Sun 9:05 +1w>', '2026-11-22', '09:05', null, '+1w'],
  ['<2026-11-22 Sun 9:05-10:00>', '2026-11-22', '09:05', '10:00', null],
  ['[2026-11-08 Sun 11:20]', '2026-11-08', '11:20', null, null],
  ['<2026-11-22 Sun .+2d -3d>', '2026-11-22', null, null, '.+2d'],
])('%s is read', (stamp, day, time, end, repeat) => {
  expect(readOrgStamp(stamp)).toEqual({ day, time, end, repeat })
})

test('what is written is read back, and nonsense is not', () => {
  expect(orgStamp({ day: '2026-11-22', time: null })).toBe('<2026-11-22 Sun>')
  const when = { day: '2028-02-29', time: '22:00', end: '23:59', repeat: '.+1y' }
  expect(readOrgStamp(orgStamp(when))).toEqual(when)
  expect(readOrgStamp('<2026-11-31 Tue>')).toBeNull()
  expect(readOrgStamp(null)).toBeNull()
})

test('days are said as people say them', () => {
  const today = dayOf(now)
  const said = ['2026-11-20', today, '2026-11-22', '2026-11-25', '2027-01-01'].map((day) =>
    dayWords(day, today),
  )
  expect(said).toEqual(['yesterday', 'today', 'tomorrow', 'Wed 25 Nov', 'Fri 1 Jan 2027'])
})

test('hours and repeaters are said', () => {
  const said = (text: string) => hoursWords(readOrgStamp(text)!)
  expect(said('<2026-11-22 Sun>')).toBe('')
  expect(said('<2026-11-22 Sun 14:00 +1w>')).toBe(' at 14:00, every week')
  expect(said('<2026-11-22 Sun 14:00-15:30>')).toBe(' from 14:00 to 15:30')
  expect(said('<2026-11-22 Sun .+2d>')).toBe(', every 2 days after it is done')
})
