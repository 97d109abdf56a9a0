import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Approvals, actionDigest } from '../src/approvals.ts'
import type { Action, Signal } from '../src/signal.ts'

const action: Action = {
  type: 'request',
  target: 'shell',
  payload: { action: 'execute', cmd: 'ls' },
}
const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's1' },
  payload: {},
  depth: 0,
}
function clockAt(start: number) {
  const clock = { ms: start, now: () => new Date(clock.ms) }
  return clock
}

test('the digest does not depend on the order of fields, and on everything else', () => {
  const other: Action = {
    payload: { cmd: 'ls', action: 'execute' },
    target: 'shell',
    type: 'request',
  }
  expect(actionDigest(other)).toBe(actionDigest(action))
  fc.assert(
    fc.property(fc.string(), (cmd) => {
      const changed = { ...action, payload: { ...action.payload, cmd } }
      expect(actionDigest(changed) === actionDigest(action)).toBe(cmd === 'ls')
    }),
  )
})

test('a token is good once', () => {
  const approvals = new Approvals(clockAt(0))
  const { token } = approvals.ask(action, signal, 'really?')
  expect(approvals.take(token.toUpperCase(), 's1')).toMatchObject({ action, reason: 'really?' })
  expect(approvals.take(token, 's1')).toBeNull()
})

test('a token is good in its session and for ten minutes', () => {
  const clock = clockAt(0)
  const approvals = new Approvals(clock)
  const { token } = approvals.ask(action, signal, 'really?')
  expect(approvals.take(token, 's2')).toBeNull()
  expect(approvals.take(token, undefined)).toBeNull()
  clock.ms = 10 * 60_000
  expect(approvals.take(token, 's1')).toBeNull()
})
