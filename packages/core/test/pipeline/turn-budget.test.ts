import { expect, test } from 'vitest'
import { TurnBudget, turnLimits } from '../../src/pipeline/turn-budget.ts'
import { handClock } from '../base/hand-clock.ts'

const limits = { money: 1, tokens: 10_000, timeMs: 600_000 }
const usage = (inputTokens: number, cachedTokens = 0) => ({
  inputTokens,
  cachedTokens,
  outputTokens: 0,
})

test('the model is told at four fifths, once, and at the end', () => {
  const budget = new TurnBudget(limits, handClock())
  budget.spend(usage(7_900))
  budget.spend(null)
  expect([budget.warning(), budget.spent()]).toEqual([null, null])
  budget.spend(usage(100))
  expect(budget.warning()).toContain('8000 of 10000 tokens')
  expect([budget.warning(), budget.spent()]).toEqual([null, null])
  budget.spend({ ...usage(1), cost: 1.5 })
  expect(budget.spent()).toContain('1.50 of 1 USD')
})

test('time is spent as well, and what came from a cache counts a tenth', () => {
  const clock = handClock()
  const budget = new TurnBudget(limits, clock)
  budget.spend(usage(10_000, 10_000))
  expect(budget.state().share).toBeCloseTo(0.1)
  clock.pass(600_000)
  expect(budget.spent()).toContain('10 of 10 minutes')
})

test('a part of a turn ends with its own budget or with that of the turn', () => {
  const clock = handClock()
  const whole = new TurnBudget(limits, clock)
  const parts = [1, 2, 3].map(() => new TurnBudget({ ...limits, tokens: 5_000 }, clock, whole))
  parts[0]!.spend(usage(5_000))
  expect([parts[0]!.spent(), parts[1]!.spent()]).toEqual([expect.any(String), null])
  parts[1]!.spend(usage(4_999))
  parts[2]!.spend(usage(1))
  expect(parts[2]!.spent()).toContain('10000 of 10000 tokens')
})

test('a hundred steps fit into what is right for most', () => {
  const budget = new TurnBudget(turnLimits, handClock())
  for (let step = 0; step < 100; step++) budget.spend(usage(24_000))
  expect(budget.spent()).toBeNull()
})
