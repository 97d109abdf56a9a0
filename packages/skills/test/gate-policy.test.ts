import { expect, test } from 'vitest'
import { checkPolicy, explanationLengthMax } from '../src/gate-policy.ts'

function verdict(explanation?: string): string {
  const payload = {
    action: 'call',
    tool: 'agenda',
    ...(explanation === undefined ? {} : { explanation }),
  }
  return checkPolicy({ type: 'request', target: 'tool', payload }).kind
}

test('an action says why, an answer does not have to', () => {
  expect(verdict('You asked for it.')).toBe('pass')
  expect(verdict()).toBe('reject')
  expect(verdict('  \n')).toBe('reject')
  const message = {
    type: 'request',
    target: 'cli',
    payload: { action: 'message', text: 'Hello' },
  } as const
  expect(checkPolicy(message).kind).toBe('pass')
})

test('an explanation may be as long as the limit, and no longer', () => {
  expect(verdict('x'.repeat(explanationLengthMax))).toBe('pass')
  expect(verdict('x'.repeat(explanationLengthMax + 1))).toBe('reject')
})
