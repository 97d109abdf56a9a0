import { expect, test } from 'vitest'
import { readPhrase } from '../../src/common/date-grammar.ts'

const now = new Date(2026, 10, 21, 9, 30)

test.each([
  ['tomorrow evening', { day: '2026-11-22', time: '18:00' }],
  ['next weekend', { day: '2026-11-28' }],
  ['end of month', { day: '2026-11-30' }],
  ['by friday', { day: '2026-11-27', due: true }],
  ['tuesday 2-3pm', { day: '2026-11-24', time: '14:00', end: '15:00' }],
  ['every other tuesday', { day: '2026-11-24', repeat: '+2w' }],
  ['for an hour and a half', { day: null, minutes: 90 }],
  ['on 1/12', { doubt: { begin: 3, end: 7, texts: ['2026-12-01', '2027-01-12'] } }],
  ['before friday', { doubt: { begin: 0, end: 13, texts: ['by 2026-11-26', 'by 2026-11-27'] } }],
  ['on', null],
  ['tomorrow friday', null],
  ['31 november', null],
  ['tomorrow or so', null],
])('%s', (phrase, parts) => {
  const read = readPhrase(phrase, now, false)
  if (parts === null) expect(read).toBeNull()
  else expect(read).toMatchObject(parts)
})

test('only a move may say to and until', () => {
  expect(readPhrase('to friday', now, false)).toBeNull()
  expect(readPhrase('to friday', now, true)).toMatchObject({ day: '2026-11-27' })
})
