import { type GateContext, messageAction, type Runtime, type Signal } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkClaims, claimsDeed, createClaimsSkill, mark } from '../../src/verdicts/gate-claims.ts'

const contextOf = (facts: unknown) =>
  ({ facts: { 'gate-claims': facts } }) as unknown as GateContext

test.each([
  'I have added “Call Ann” to your inbox.',
  'I’ve just scheduled it for Monday.',
  'Sure! I moved both of them.',
  'The task “Call Ann” has been added to your list.',
  'Done.',
  '✓ All done!',
])('%s is a claim', (text) => {
  expect(claimsDeed(text)).toBe(true)
})

test.each([
  'I will add it when you say so.',
  'I have not added anything.',
  'Shall I mark it?',
  'The meeting has been moved to Tuesday, says your note.',
  'Nothing is done yet.',
  'Finished books are in reading/notes.org.',
  '',
])('%s is none', (text) => {
  expect(claimsDeed(text)).toBe(false)
})

test('a claim is marked once, and only where nothing was done', () => {
  const claim = fc.string().map((rest) => `Done. ${rest}`)
  fc.assert(
    fc.property(claim, (text) => {
      const action = messageAction(text)
      expect(checkClaims(action, contextOf({ isDone: true })).kind).toBe('pass')
      expect(checkClaims(action, contextOf(undefined)).kind).toBe('pass')
      const first = checkClaims(action, contextOf({ isDone: false }))
      if (first.kind !== 'change') throw new Error(`not marked: ${text}`)
      expect(first.action.payload.text).toBe(`${text.trimEnd()}\n\n${mark}`)
      expect(checkClaims(first.action, contextOf({ isDone: false })).kind).toBe('pass')
    }),
  )
})

test('only answers are marked', () => {
  const action = { type: 'request' as const, payload: { action: 'execute', text: 'Done.' } }
  expect(checkClaims(action, contextOf({ isDone: false })).kind).toBe('pass')
})

test('a deed counts until somebody speaks again', () => {
  const { facts } = createClaimsSkill()
  const tools = new Map([
    ['look', { readOnly: true }],
    ['write', { readOnly: false }],
  ])
  const runtime = { tools } as unknown as Runtime
  const after = (depth: number, payload: Signal['payload'], sessionId = 's') =>
    facts?.(runtime, { type: 'event', meta: { source: 'cli', sessionId }, payload, depth })
  const output = (tool: string, status: string) => ({ sensor: 'tool-output', tool, status })
  expect(after(0, { sensor: 'user-input' })).toEqual({ isDone: false })
  expect(after(1, output('look', 'success'))).toEqual({ isDone: false })
  expect(after(2, output('write', 'error'))).toEqual({ isDone: false })
  expect(after(3, output('write', 'success'))).toEqual({ isDone: true })
  expect(after(4, output('write', 'error'))).toEqual({ isDone: true })
  expect(after(1, output('look', 'success'), 'other')).toEqual({ isDone: false })
  expect(after(0, { sensor: 'user-input' })).toEqual({ isDone: false })
})
