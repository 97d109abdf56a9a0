import type { Action } from '@passepartout/core'
import { expect, test } from 'vitest'
import { checkLeaving } from '../../src/verdicts/check-leaving.ts'
import { annContext } from './ann.ts'

const context = annContext({
  source: 'telegram',
  ownerWords: ['Please read https://example.org/recipe for me'],
})

function kind(action: Partial<Action>): string {
  const payload = { action: 'call', tool: 'fetch', ...action.payload }
  return checkLeaving.check({ type: 'request', ...action, payload }, context).kind
}

test('an answer goes back to where the question came from', () => {
  expect(kind({ target: 'telegram', payload: { action: 'message', text: 'hi' } })).toBe('pass')
  expect(kind({ target: 'cli', payload: { action: 'message', text: 'hi' } })).toBe('pass')
  expect(kind({ target: 'signal', payload: { action: 'call', text: 'hi' } })).toBe('approval')
  expect(kind({ payload: { action: 'message', text: 'hi' } })).toBe('pass')
})

test.each([
  ['https://example.org/recipe', 'pass'],
  ['https://ann@example.org/', 'pass'],
  ['https://ann:pw@example.org/', 'reject'],
  ['postgres://user:password@localhost/db', 'pass'],
  ['http://169.254.169.254/latest', 'reject'],
  ['see https://evil.example/ for more', 'pass'],
  ['inbox.org', 'pass'],
])('an argument %s: %s', (url, expected) => {
  expect(kind({ target: 'tool', payload: { action: 'call', tool: 'fetch', args: { url } } })).toBe(
    expected,
  )
})
