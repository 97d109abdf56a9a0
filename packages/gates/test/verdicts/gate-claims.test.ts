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
  'I have written a poem about the garden for you.',
  'I’ve added the totals below the list.',
  'Here is the draft: I have moved the second part up.',
  'Yesterday I scheduled the call with Ann.',
  'Your diary says: “I have deleted the old file.”',
  '> I sent the mail.',
  'I checked your agenda, and nothing is due.',
  'Finished books are in reading/notes.org.',
  '',
])('%s is none', (text) => {
  expect(claimsDeed(text)).toBe(false)
})

test('what answers a question is no claim', () => {
  expect(claimsDeed('Done.', 'Is the roof done or not?')).toBe(false)
  expect(claimsDeed('Done.', 'Finish the roof')).toBe(true)
})

test('a claim is marked once, and only where nothing was done', () => {
  const claim = fc.string().map((rest) => `Done. ${rest}`)
  fc.assert(
    fc.property(claim, (text) => {
      const action = messageAction(text)
      expect(checkClaims(action, contextOf({ isDone: true, heard: '' })).kind).toBe('pass')
      expect(checkClaims(action, contextOf(undefined)).kind).toBe('pass')
      const first = checkClaims(action, contextOf({ isDone: false, heard: '' }))
      if (first.kind !== 'change') throw new Error(`not marked: ${text}`)
      expect(first.action.payload.text).toBe(`${text.trimEnd()}\n\n${mark}`)
      expect(checkClaims(first.action, contextOf({ isDone: false, heard: '' })).kind).toBe('pass')
    }),
  )
})

test('only answers are marked', () => {
  const action = { type: 'request' as const, payload: { action: 'execute', text: 'Done.' } }
  expect(checkClaims(action, contextOf({ isDone: false, heard: '' })).kind).toBe('pass')
})

const tools = new Map([
  ['look', { readOnly: true }],
  ['write', { readOnly: false }],
])

function isDone(results: readonly [tool: string, state: string][], moments: number[] = []) {
  const said = { kind: 'words', origin: 'owner', text: 'Hm.', turn: 't', at: 5 }
  const made = results.map(([tool, state]) => ({ kind: 'result', tool, state, turn: 't', at: 6 }))
  const entries = [said, ...made, said]
  const runtime = {
    tools,
    sessions: { of: () => ({ entries }) },
    moments: { list: () => moments.map((at) => ({ at })) },
  } as unknown as Runtime
  const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }
  return createClaimsSkill().facts?.(runtime, signal)
}

test('a deed counts as long as the conversation lasts', () => {
  expect(isDone([])).toEqual({ isDone: false, heard: 'Hm.' })
  expect(isDone([['look', 'done']])).toMatchObject({ isDone: false })
  for (const state of ['failed', 'refused', 'denied', 'skipped'])
    expect(isDone([['write', state]])).toMatchObject({ isDone: false })
  for (const state of ['done', 'waiting', 'unknown'])
    expect(isDone([['write', state]])).toMatchObject({ isDone: true })
  expect(isDone([], [4])).toMatchObject({ isDone: false })
  expect(isDone([], [4, 5])).toMatchObject({ isDone: true })
})
