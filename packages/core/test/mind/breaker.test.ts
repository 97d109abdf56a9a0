import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Provider } from '../../src/contract/provider.ts'
import { Breakers, breakerDefaults, type Outcome, outcomeOf } from '../../src/mind/breaker.ts'
import { handClock } from '../base/hand-clock.ts'

function named(name: string): Provider {
  return { name, async *propose() {} }
}

test('three failures open a circuit, and one probe at a time may close it', () => {
  const clock = handClock()
  const breakers = new Breakers(clock)
  const provider = named('model')
  for (let count = 0; count < 3; count++) {
    expect(breakers.admit(provider)).toBeNull()
    breakers.settle(provider, 'failed')
  }
  expect(breakers.admit(provider)).toBe('model is left alone for another 30 s')
  clock.pass(30_000)
  expect(breakers.admit(provider)).toBeNull()
  expect(breakers.admit(provider)).toBe('model is being tried by another question')
  breakers.settle(provider, 'failed')
  clock.pass(59_001)
  expect(breakers.admit(provider)).toBe('model is left alone for another 1 s')
  clock.pass(1_000)
  expect(breakers.admit(provider)).toBeNull()
  breakers.settle(provider, 'alive')
  expect([breakers.admit(provider), breakers.admit(provider)]).toEqual([null, null])
})

test.each([
  ['refused', 'alive'],
  ['aborted', 'void'],
  ['auth', 'hopeless'],
  ['timeout', 'failed'],
  [undefined, 'failed'],
] as const)('a failure of kind %s counts as %s', (kind, outcome) => {
  expect(outcomeOf({ message: '', kind })).toBe(outcome)
})

test.each([
  [40_000, 'model is left alone for another 40 s'],
  [1e15, 'model is left alone for another 86400 s'],
  [-1, null],
  [Number.NaN, null],
])('a provider that asks for %d ms gets its rest', (ms, reason) => {
  const breakers = new Breakers(handClock())
  const provider = named('model')
  breakers.admit(provider)
  breakers.settle(provider, 'failed', ms)
  expect(breakers.admit(provider)).toBe(reason)
  expect(breakers.admit(named('model'))).toBeNull()
})

test('a key that is not accepted opens the circuit at once', () => {
  const breakers = new Breakers(handClock())
  const provider = named('model')
  breakers.admit(provider)
  breakers.settle(provider, 'hopeless')
  expect(breakers.admit(provider)).toContain('left alone')
})

type Event = { at: number; outcome: Outcome }

/** Until when the circuit is open after these events, or null when it is closed. */
function openUntil(history: readonly Event[]): number | null {
  const telling = history.filter(({ outcome }) => outcome !== 'void')
  const since = telling.slice(telling.findLastIndex(({ outcome }) => outcome === 'alive') + 1)
  const { failuresMax, restMs, restMaxMs } = breakerDefaults
  const hopeless = since.findIndex(({ outcome }) => outcome === 'hopeless')
  const opening = Math.min(hopeless < 0 ? Infinity : hopeless, failuresMax - 1)
  if (since.length <= opening) return null
  const rest = Math.min(restMs * 2 ** (since.length - 1 - opening), restMaxMs)
  return since.at(-1)!.at + rest
}

test('a circuit behaves as its whole history says', () => {
  const outcome = fc.constantFrom<Outcome>(
    'failed',
    'failed',
    'failed',
    'alive',
    'hopeless',
    'void',
  )
  const step = fc.record({ outcome, wait: fc.constantFrom(0, 1_000, 30_000, 61_000, 900_000) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const clock = handClock(0)
      const breakers = new Breakers(clock)
      const provider = named('model')
      const history: Event[] = []
      for (const { outcome, wait } of steps) {
        clock.pass(wait)
        const until = openUntil(history)
        const at = clock.now().getTime()
        const admitted = breakers.admit(provider) === null
        expect(admitted).toBe(until === null || at >= until)
        if (!admitted) continue
        expect(breakers.admit(provider) === null).toBe(until === null)
        breakers.settle(provider, outcome)
        history.push({ at, outcome })
      }
    }),
  )
})
