import { expect, test } from 'vitest'
import { checkPolicy, explanationLengthMax } from '../../src/verdicts/gate-policy.ts'

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
  for (const filler of ['n/a', '...', 'x', 'xxxxx', 'No reason.', 'agenda', 'just because', '—']) {
    expect(verdict(filler)).toBe('reject')
  }
  for (const reason of ['To see what is due.', 'tidy', '整理', 'because you asked']) {
    expect(verdict(reason)).toBe('pass')
  }
  const message = {
    type: 'request',
    target: 'cli',
    payload: { action: 'message', text: 'Hello' },
  } as const
  expect(checkPolicy(message).kind).toBe('pass')
})

test('an explanation may be as long as the limit, and no longer', () => {
  expect(verdict('xy'.repeat(explanationLengthMax / 2))).toBe('pass')
  expect(verdict(`${'xy'.repeat(explanationLengthMax / 2)}z`)).toBe('reject')
})
