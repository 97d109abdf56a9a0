import { expect, test } from 'vitest'
import { formatTimestamp, readTimestamp } from '../../src/objects/timestamp.ts'

test('a timestamp is read into numbers', () => {
  expect(readTimestamp('<2026-11-21 lör 9:05-10:30 .+2d -3d>')).toMatchObject({
    timestampType: 'active-range',
    start: { year: 2026, month: 11, day: 21, hour: 9, minute: 5 },
    end: { day: 21, hour: 10, minute: 30 },
    repeater: { type: 'restart', value: 2, unit: 'day' },
    warning: { type: 'all', value: 3, unit: 'day' },
  })
})

test('two brackets make one range', () => {
  expect(readTimestamp('[2026-11-21]--[2026-11-23 Mon]')).toMatchObject({
    timestampType: 'inactive-range',
    rawValue: '[2026-11-21]--[2026-11-23 Mon]',
    end: { day: 23, hour: null },
  })
  expect(readTimestamp('<2026-11-21>--[2026-11-23]')).toMatchObject({
    timestampType: 'active-range',
    rangeType: 'daterange',
  })
  expect(readTimestamp('<2026-11-21 10:00-11:30>--<2026-11-23>')).toMatchObject({
    rangeType: 'daterange',
    end: { day: 23, hour: 11, minute: 30 },
  })
  expect(readTimestamp('<%%(rain) 9:00-10:00>--<2026-11-23>')).toMatchObject({
    timestampType: 'diary',
    rangeType: 'daterange',
    diaryTimes: { hour: 9, endHour: 10 },
  })
})

test('what is not a date is not a timestamp', () => {
  for (const text of ['<2026-11>', '[2026-11-21 a\n]', '<today>', '']) {
    expect(readTimestamp(text)).toBeNull()
  }
})

test('timestamps carry their day', () => {
  const nine = new Date(2026, 10, 21, 9, 5)
  expect(formatTimestamp(nine, { active: true })).toBe('<2026-11-21 Sat>')
  expect(formatTimestamp(nine, { active: false, time: true })).toBe('[2026-11-21 Sat 09:05]')
})
