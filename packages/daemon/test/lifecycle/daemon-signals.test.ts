import { EventEmitter } from 'node:events'
import type { Clock } from '@passepartout/core'
import { expect, test } from 'vitest'
import { obeySignals, type Told } from '../../src/lifecycle/daemon-signals.ts'

function setting(isAbandoned = false) {
  const signals = new EventEmitter()
  const happened: (string | number)[] = []
  const alarms: (() => void)[] = []
  const clock: Clock = {
    now: () => new Date(0),
    alarm(ms, ring) {
      alarms[ms] = ring
      return () => {}
    },
  }
  const ended = Promise.withResolvers<void>()
  const told: Told = {
    clock,
    signals,
    stop: () => ended.promise,
    interrupt: () => happened.push('interrupt'),
    reload: async () => void happened.push('reload'),
    isAbandoned: () => isAbandoned,
    tell: () => {},
    exit: (code) => happened.push(code),
  }
  obeySignals(told)
  const after = async (...steps: (string | number)[]) => {
    for (const step of steps) {
      if (typeof step === 'number') alarms[step]!()
      else if (step === 'ended') ended.resolve()
      else if (step === 'failed') ended.reject(new Error('the disk is full'))
      else signals.emit(step)
    }
    await new Promise(setImmediate)
    return happened
  }
  return after
}

test.each([
  [['SIGTERM'], []],
  [['SIGTERM', 'ended'], [0]],
  [['SIGINT', 'failed'], [1]],
  [['SIGINT', 'SIGINT'], [130]],
  [['SIGINT', 'SIGTERM'], [143]],
  [['SIGTERM', 4_000], ['interrupt']],
  [
    ['SIGTERM', 4_000, 5_000],
    ['interrupt', 1],
  ],
  [
    ['SIGHUP', 'SIGHUP'],
    ['reload', 'reload'],
  ],
])('%j', async (steps, happened) => {
  expect(await setting()(...steps)).toEqual(happened)
})

test('a terminal that is closed ends what ran in it', async () => {
  expect(await setting(true)('SIGHUP', 'ended')).toEqual([0])
})
