import type { Action } from '@passepartout/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkProtocol } from '../../src/verdicts/gate-validator.ts'
import { annContext } from './ann.ts'

const context = annContext({
  tools: new Map([
    [
      'search-notes',
      {
        name: 'search-notes',
        description: 'Search.',
        parameters: z.object({ query: z.string().min(1), limit: z.number().default(9) }),
        readOnly: true,
      },
    ],
  ]),
})

function reason(target: string, payload: Action['payload']): string {
  const verdict = checkProtocol({ type: 'request', target, payload }, context)
  return verdict.kind === 'reject' ? verdict.reason : verdict.kind
}

test('what exists passes, and what does not is told what does', () => {
  const call = { action: 'call', tool: 'search-notes' }
  expect(reason('tool', { ...call, args: { query: 'rye' } })).toBe('pass')
  expect(reason('cli', { action: 'message', text: 'Hello' })).toBe('pass')
  expect(reason('system', { action: 'reload' })).toBe('pass')
  expect(reason('system', { action: 'eval' })).toContain('there is no eval')
  expect(reason('tool', { ...call, args: { query: 3 } })).toMatch(/“query”: .*string/)
  expect(reason('tool', call)).toContain('query')
  expect(reason('tool', { ...call, args: { q: 'rye', n: 3 } })).toMatch(
    /no argument “q”, did you mean “query”\?.* search-notes takes query \(text\), limit \(number, may/,
  )
  expect(reason('tool', { action: 'call', tool: 'grep' })).toBe('There is no tool grep.')
  expect(reason('tool', { action: 'call', tool: 'search_note' })).toContain(
    'did you mean search-notes?',
  )
  expect(reason('console', { action: 'message', text: 'x' })).toContain('there are tool, system')
  expect(reason('telegram', { action: 'message', text: 'Hello' })).toBe('pass')
  expect(reason('telegram', { action: 'dial' })).toContain('takes messages')
  expect(reason('shell', { action: 'execute' })).toContain(':cmd')
  expect(reason('cli', { action: 'message', text: ' ' })).toContain(':text')
})
