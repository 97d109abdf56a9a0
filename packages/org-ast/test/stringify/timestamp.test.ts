import { expect, test } from 'vitest'
import { readTimestamp } from '../../src/objects/timestamp.ts'
import { printTimestamp } from '../../src/stringify/timestamp.ts'

const again = (text: string) => printTimestamp(readTimestamp(text)!)

test('a timestamp is written in full', () => {
  expect(again('<2026-11-21>')).toBe('<2026-11-21 Sat>')
  expect(again('[2026-11-21 Foo 9:05]')).toBe('[2026-11-21 Sat 09:05]')
  expect(again('<2026-11-21 Sat -2d +1w>')).toBe('<2026-11-21 Sat +1w -2d>')
  expect(again('<2026-11-21 Sat .+1d/4d>')).toBe('<2026-11-21 Sat .+1d/4d>')
  expect(again('<2026-11-21 9:00-10:30>')).toBe('<2026-11-21 Sat 09:00-10:30>')
  expect(again('[2026-11-21]--[2026-11-22]')).toBe('[2026-11-21 Sat]--[2026-11-22 Sun]')
  expect(again('<2026-02-31>')).toBe('<2026-03-03 Tue>')
})

test('a range that was moved is written as it is now', () => {
  const node = readTimestamp('<2026-11-21 9:00-10:30>')!
  const end = { year: 2026, month: 11, day: 22, hour: 10, minute: 30 }
  expect(printTimestamp(Object.assign(node, { end }))).toBe(
    '<2026-11-21 Sat 09:00>--<2026-11-22 Sun 10:30>',
  )
})

test('a diary timestamp keeps its expression', () => {
  expect(again('<%%(diary-float t 4 2)>')).toBe('<%%(diary-float t 4 2)>')
  const rawValue = '<%%(diary-date 1 2) 9:00-10:00 x>'
  expect(printTimestamp({ type: 'timestamp', timestampType: 'diary', rawValue })).toBe(
    '<%%(diary-date 1 2) 09:00-10:00>',
  )
})
