import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orgStamp } from '../../src/common/dates.ts'
import { impossibleDay, readDay, readSpan, takeDate } from '../../src/common/planner-dates.ts'

const now = new Date(2026, 10, 21, 9, 30)
const wednesday = new Date(2026, 10, 18, 9, 30)

test.each([
  ['buy oat milk tomorrow', 'buy oat milk', '<2026-11-22 Sun>'],
  ['call mum monday', 'call mum', '<2026-11-23 Mon>'],
  ['call mum tomorrow evening', 'call mum', '<2026-11-22 Sun 18:00>'],
  ['book a table on 2026-12-01 14:00', 'book a table', '<2026-12-01 Tue 14:00>'],
  ['water the plants in 3 days', 'water the plants', '<2026-11-24 Tue>'],
  ['see the dentist in three weeks', 'see the dentist', '<2026-12-12 Sat>'],
  ['renew it in a month', 'renew it', '<2026-12-21 Mon>'],
  ['sat exam next friday at 10am', 'sat exam', '<2026-11-27 Fri 10:00>'],
  ['lunch next tuesday 14:00', 'lunch', '<2026-11-24 Tue 14:00>'],
  ['pay the rent on 1 december.', 'pay the rent', '<2026-12-01 Tue>'],
  ['pay the rent first of december', 'pay the rent', '<2026-12-01 Tue>'],
  ['pay the rent on 1.12.', 'pay the rent', '<2026-12-01 Tue>'],
  ['send cards December 5th 2027', 'send cards', '<2027-12-05 Sun>'],
  ['tidy up at the end of the month', 'tidy up', '<2026-11-30 Mon>'],
  ['plan the talk, middle of january', 'plan the talk', '<2027-01-15 Fri>'],
  ['meet Rune tuesday from 14:00 to 15:30', 'meet Rune', '<2026-11-24 Tue 14:00-15:30>'],
  ['meet Rune tuesday 2-3pm', 'meet Rune', '<2026-11-24 Tue 14:00-15:00>'],
  ['meet Rune tuesday at 14:00 for 90 minutes', 'meet Rune', '<2026-11-24 Tue 14:00-15:30>'],
  ['water the plants every friday', 'water the plants', '<2026-11-27 Fri +1w>'],
  ['choir every other tuesday at 19:00', 'choir', '<2026-11-24 Tue 19:00 +2w>'],
  ['stretch every day', 'stretch', '<2026-11-21 Sat +1d>'],
  ['run every 2 days after it is done', 'run', '<2026-11-21 Sat .+2d>'],
  ['pay the rent every 1st', 'pay the rent', '<2026-12-01 Tue +1m>'],
  ['pay the rent monthly on the 3rd', 'pay the rent', '<2026-12-03 Thu +1m>'],
  ['call Karin every 6 december', 'call Karin', '<2026-12-06 Sun +1y>'],
  ['review weekly starting monday', 'review', '<2026-11-23 Mon +1w>'],
  ['stand up at 9:00', 'stand up', '<2026-11-22 Sun 09:00>'],
  ['stand up at noon', 'stand up', '<2026-11-21 Sat 12:00>'],
  ['turn the bread in 45 minutes', 'turn the bread', '<2026-11-21 Sat 10:15>'],
  ['meet thursday, 3 december at 5 p.m.', 'meet', '<2026-12-03 Thu 17:00>'],
  ['yoga on mondays at 18:30', 'yoga', '<2026-11-23 Mon 18:30 +1w>'],
  ['insure it quarterly', 'insure it', '<2026-11-21 Sat +3m>'],
  ['rest this evening', 'rest', '<2026-11-21 Sat 18:00>'],
  ['rest next weekend', 'rest', '<2026-11-28 Sat>'],
  ['begin in two weeks and three days', 'begin', '<2026-12-08 Tue>'],
  ['begin two weeks from monday', 'begin', '<2026-12-07 Mon>'],
])('%s', (text, rest, stamp) => {
  const taken = takeDate(text, now)
  expect([taken.rest, taken.stamp && orgStamp(taken.stamp)]).toEqual([rest, stamp])
  expect(taken).toMatchObject({ due: false, readings: null })
})

test.each([
  'sun cream',
  'look at the sun',
  'sat exam preparation',
  'remember the march',
  'call now',
  'read 2 chapters',
  'version 2.10',
  'boil the eggs for 10 minutes',
  'half of 1/2',
  'plan the party for 31 november',
  'tomorrow never dies',
  'the second',
  'meet friday 26 november 2026 or so',
  'buy 5',
])('%s has no date', (text) => {
  expect(takeDate(text, now)).toMatchObject({ rest: text, stamp: null })
})

test('due, by and deadline make a deadline', () => {
  for (const joint of ['due', 'by', 'due by', 'due on', 'deadline'])
    expect(takeDate(`pay rent ${joint} friday`, now)).toMatchObject({ rest: 'pay rent', due: true })
  expect(takeDate('write it tomorrow for 2 hours', now)).toMatchObject({ minutes: 120 })
})

test.each([
  ['meet on saturday', now, ['meet on 2026-11-21', 'meet on 2026-11-28']],
  ['meet next friday', wednesday, ['meet 2026-11-20', 'meet 2026-11-27']],
  ['meet monday at 4', now, ['meet monday at 04:00', 'meet monday at 16:00']],
  ['pay by 1/12', now, ['pay by 2026-12-01', 'pay by 2027-01-12']],
  ['pay before friday', now, ['pay by 2026-11-26', 'pay by 2026-11-27']],
])('%s is in doubt', (text, present, readings) => {
  expect(takeDate(text, present).readings).toEqual(readings)
  for (const reading of readings) {
    const taken = takeDate(reading, present)
    expect(taken.stamp).not.toBeNull()
    expect(taken.readings).toBeNull()
  }
})

test('any text has an answer', () => {
  const word = fc.constantFrom(
    'on',
    'by',
    'every',
    'friday',
    'at',
    '5',
    '14:00',
    'the',
    '1.12.',
    'x',
  )
  const sentences = fc.oneof(
    fc.string(),
    fc.array(word).map((words) => words.join(' ')),
  )
  fc.assert(
    fc.property(sentences, (text) => {
      const { stamp, rest } = takeDate(text, now)
      expect(text.trim().replace(/\s+/g, ' ')).toContain(rest)
      if (stamp !== null) expect(orgStamp(stamp)).toMatch(/^<\d{4}-\d\d-\d\d \w{3}[ \d:+.a-z-]*>$/)
    }),
  )
})

test('a day that no calendar has is seen', () => {
  expect(impossibleDay('meet on 30 february')).toBe('30 february')
  expect(impossibleDay('meet on 2026-11-31')).toBe('2026-11-31')
  expect(impossibleDay('meet on 29 february')).toBeNull()
  expect(impossibleDay('read chapter 31')).toBeNull()
})

test.each([
  ['today', '2026-11-21', '2026-11-21'],
  ['tomorrow', '2026-11-22', '2026-11-22'],
  ['friday', '2026-11-27', '2026-11-27'],
  ['this week', '2026-11-21', '2026-11-27'],
  ['next week', '2026-11-23', '2026-11-29'],
  ['the weekend', '2026-11-21', '2026-11-22'],
  ['next 10 days', '2026-11-21', '2026-11-30'],
  ['the next two weeks', '2026-11-21', '2026-12-04'],
  ['this month', '2026-11-21', '2026-11-30'],
  ['in december', '2026-12-01', '2026-12-31'],
  ['in february', '2027-02-01', '2027-02-28'],
  ['monday to friday', '2026-11-23', '2026-11-27'],
  ['until 5 december', '2026-11-21', '2026-12-05'],
  ['2026-12-01..2026-12-24', '2026-12-01', '2026-12-24'],
])('the agenda of %s', (text, from, to) => {
  expect(readSpan(text, now)).toEqual({ from, to })
})

test.each([
  ['yesterday', '2026-11-20', '2026-11-20'],
  ['this week', '2026-11-16', '2026-11-21'],
  ['last week', '2026-11-09', '2026-11-15'],
  ['the last 3 days', '2026-11-19', '2026-11-21'],
  ['on monday', '2026-11-16', '2026-11-16'],
  ['last friday', '2026-11-20', '2026-11-20'],
  ['in october', '2026-10-01', '2026-10-31'],
  ['in december', '2025-12-01', '2025-12-31'],
  ['this month', '2026-11-01', '2026-11-21'],
])('a look back at %s', (text, from, to) => {
  expect(readSpan(text, now, true)).toEqual({ from, to })
})

test('no day is no span', () => {
  for (const text of ['milk', 'milk tomorrow', '', 'friday to monday week', 'every friday'])
    expect(readSpan(text, now)).toBeNull()
  expect(readDay('2026-12-01', now)).toBe('2026-12-01')
})
