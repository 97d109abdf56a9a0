import { expect, test } from 'vitest'
import { setAlarm } from '../../src/base/clock.ts'
import { handClock } from './hand-clock.ts'

test('alarms ring in their order, and not after they were taken back', () => {
  const clock = handClock(0)
  const rung: string[] = []
  setAlarm(clock, 30, () => rung.push(`late at ${clock.now().getTime()}`))
  const takeBack = setAlarm(clock, 20, () => rung.push('never'))
  setAlarm(clock, 10, () => rung.push(`early at ${clock.now().getTime()}`))
  takeBack()
  takeBack()
  clock.pass(100)
  expect(rung).toEqual(['early at 10', 'late at 30'])
  expect([clock.pending(), clock.now().getTime()]).toEqual([0, 100])
})

test('without an alarm of its own a clock gets a real timer', () => {
  const takeBack = setAlarm({ now: () => new Date() }, 1e12, () => {})
  takeBack()
  takeBack()
})
