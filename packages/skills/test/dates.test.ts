import { expect, test } from 'vitest'
import {
  addDays,
  dayOf,
  dayWords,
  orgStamp,
  readOrgStamp,
  readWhen,
  splitWhen,
} from '../src/dates.ts'

const now = new Date(2026, 10, 21, 9, 30)

test('days are added across months, years and leap days', () => {
  expect(dayOf(now)).toBe('2026-11-21')
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01')
  expect(addDays('2028-02-28', 1)).toBe('2028-02-29')
  expect(addDays('2026-03-01', -1)).toBe('2026-02-28')
})

test.each([
  ['buy oat milk tomorrow', 'buy oat milk', '2026-11-22', null],
  ['call mum monday', 'call mum', '2026-11-23', null],
  ['book a table on 2026-12-01 14:00', 'book a table', '2026-12-01', '14:00'],
  ['water the plants in 3 days', 'water the plants', '2026-11-24', null],
  ['sat exam next friday at 10am', 'sat exam', '2026-11-27', '10:00'],
  ['pay the rent on 1 december.', 'pay the rent', '2026-12-01', null],
])('%s', (text, rest, day, time) => {
  expect(splitWhen(text, now)).toEqual({ rest, when: { day, time }, due: false })
})

test.each([
  'sun cream',
  'sat exam preparation',
  'remember the march',
  'call now',
  'read 2 chapters',
  'version 2.10',
])('%s has no date', (text) => {
  expect(splitWhen(text, now)).toEqual({ rest: text, when: null, due: false })
})

test('due and by make a deadline', () => {
  expect(splitWhen('pay rent due friday', now)).toMatchObject({ rest: 'pay rent', due: true })
  expect(splitWhen('pay rent by friday', now)).toMatchObject({ rest: 'pay rent', due: true })
})

test('a date alone is a date, and a sentence with one is not', () => {
  expect(readWhen('2026-12-01 14:00', now)).toEqual({ day: '2026-12-01', time: '14:00' })
  expect(readWhen('milk tomorrow', now)).toBeNull()
})

test.each([
  ['<2026-11-22 Sun>', '2026-11-22', null],
  ['<2026-11-22 Sun 9:05 +1w>', '2026-11-22', '09:05'],
  ['[2026-11-08 Sun 11:20]', '2026-11-08', '11:20'],
  ['<2026-11-22 Sun .+2d -3d>', '2026-11-22', null],
])('%s is read', (stamp, day, time) => {
  expect(readOrgStamp(stamp)).toEqual({ day, time })
})

test('what is written is read back, and nonsense is not', () => {
  expect(orgStamp({ day: '2026-11-22', time: null })).toBe('<2026-11-22 Sun>')
  const when = { day: '2028-02-29', time: '23:59' }
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
