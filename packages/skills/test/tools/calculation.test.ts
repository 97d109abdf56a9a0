import { callTool } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calculate, calculation } from '../../src/tools/calculation.ts'

const now = new Date(2026, 10, 22, 9, 30)

test.each([
  ['0.1 + 0.2', '0.3'],
  ['1/3 * 3', '1'],
  ['10/3', '10/3 ≈ 3.33333333333333333333'],
  ['-2^2', '-4'],
  ['2^-2', '0.25'],
  ['2^3^2', '512'],
  ['2^100', '1267650600228229401496703205376'],
  ['7 mod 3', '1'],
  ['-7 mod 3', '2'],
  ['1_000.50 × 2', '2001'],
  ['19% of 80', '15.2'],
  ['80 + 19%', '95.2'],
  ['5% + 5%', '10%'],
  ['round(10/3, 2)', '3.33'],
  ['round(-0.5)', '-1'],
  ['floor(-0.5) + ceil(0.5)', '0'],
  ['sqrt(9/4)', '1.5'],
  ['sqrt(2)', '≈ 1.414213562373095048801688724209'],
  ['max(1, 3, 2) - min(2, 1) + gcd(4, 6) + abs(-1)', '5'],
  ['today + 3 weeks', '2026-12-13 Sun'],
  ['2026-12-24 - today', '32 days'],
  ['2026-01-31 + 1 month', '2026-02-28 Sat'],
  ['2024-02-29 + 1 year', '2025-02-28 Fri'],
  ['2026-03-31 - 1 month', '2026-02-28 Sat'],
  ['2026-11-22 23:30 + 90 minutes', '2026-11-23 Mon 01:00'],
  ['now - 10 hours', '2026-11-21 Sat 23:30'],
  ['2026-11-22 10:00 - 2026-11-21 09:30', '1 day 30 minutes'],
  ['2 * 36 hours', '3 days'],
  ['6 weeks / 1 day', '42'],
  ['14 months', '1 year 2 months'],
  ['weekday(2000-01-01)', 'Saturday'],
  ['week(2027-01-01)', '53'],
  ['week(2026-01-01)', '1'],
])('%s is %s', (expression, expected) => {
  expect(calculate(expression, now)).toBe(expected)
})

test.each([
  ['1/0', 'divided by zero'],
  ['9^9^9', 'too long'],
  ['2^200000 * 2^200000', 'too long'],
  ['2^0.5', 'see sqrt'],
  ['sqrt(-1)', 'no root'],
  ['2026-02-30', 'no day 2026-02-30'],
  ['2026-11-22 25:00', 'no time'],
  ['today + today', 'cannot be added'],
  ['today + 1', 'a number cannot be added to a day'],
  ['3 - today', 'cannot be taken'],
  ['1 month / 1 day', 'without months'],
  ['0.5 months', 'whole number of months'],
  ['9999-12-31 + 1 day', 'no calendar'],
  ['(1', 'not closed'],
  ['1 +', 'missing at the end'],
  ['1 2', 'one word too many'],
  ['', 'missing at the end'],
  ['process.exit()', 'cannot be read'],
  ['constructor(1)', 'Nobody knows'],
  ['toString', 'Nobody knows'],
  ['max', 'needs brackets'],
  [`${'('.repeat(900)}1`, 'too many brackets'],
  [`1${'^1'.repeat(400)}`, 'too many powers'],
])('%s: %s', (expression, reason) => {
  expect(() => calculate(expression, now)).toThrow(reason)
})

test('fractions are exact', () => {
  const count = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(count, count, count, (a, b, c) => {
      const sum = `(${a}/${c} + ${b}/${c}) * ${c}`
      expect(calculate(sum, now)).toBe(String(a + b))
      expect(calculate(`${a} - ${b} + ${b}`, now)).toBe(String(a))
      expect(calculate(`today + ${a % 1_000} days - today`, now)).toBe(
        a % 1_000 === 1 ? '1 day' : `${a % 1_000} days`,
      )
    }),
  )
})

test('whatever is typed has an answer', () => {
  const words = fc.constantFrom(
    ...['1', '0', '9', '0.5', '%', '+', '-', '*', '/', '^', '(', ')', ',', 'of', 'mod', 'today'],
    ...['2026-11-22', 'week', 'months', 'sqrt(', 'round(', 'weekday(', 'x', '2026-11-22 10:00'],
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
      try {
        expect(calculate(parts.join(' '), now)).not.toBe('')
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('the tool answers', async () => {
  const abort = new AbortController().signal
  const signal = { type: 'event' as const, meta: { source: 'cli' }, payload: {}, depth: 0 }
  const runtime = { clock: { now: () => now } } as never
  const call = async (expression: string) =>
    (await callTool(calculation.tools![0]!, { expression }, { runtime, signal, abort })).text
  expect(await call('tomorrow')).toBe('2026-11-23 Mon')
  expect(await call('1/0')).toBe('ERROR [calculate]: Nothing can be divided by zero.')
})
