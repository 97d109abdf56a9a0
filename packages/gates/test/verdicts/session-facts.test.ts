import type { Entry, EntryBody, Runtime, Signal } from '@passepartout/core'
import { expect, test } from 'vitest'
import { sessionFacts } from '../../src/verdicts/session-facts.ts'

const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }

function factsOf(...bodies: EntryBody[]) {
  const entries = bodies.map((body): Entry => ({ ...body, turn: 't', at: 0 }))
  const runtime = {
    sessions: { of: () => ({ entries }) },
    tools: new Map([
      ['find', { readOnly: true, reach: 'notes' }],
      ['archive-task', { readOnly: false, reach: 'notes' }],
      ['shell', {}],
    ]),
    store: { quotesOutside: (text: string) => text.includes('quoted') },
    providers: [{ name: 'planner', rules: true }],
  } as unknown as Runtime
  return sessionFacts(runtime, signal)
}

const words = (text: string): EntryBody => ({ kind: 'words', origin: 'owner', text })
const calls = (tool: string, provider = 'm'): EntryBody => {
  return { kind: 'answer', text: '', provider, calls: [{ id: tool, tool, args: { query: 'x' } }] }
}
const result = (tool: string, text: string, origin: 'tool' | 'web' = 'tool'): EntryBody => {
  return { kind: 'result', call: tool, tool, state: 'done', text, origin }
}
const end: EntryBody = { kind: 'end', outcome: 'answered' }

test('what others have said stays foreign, whatever is summed up', () => {
  const page = [calls('fetch-page'), result('fetch-page', 'A page.', 'web'), end]
  const summary: EntryBody = { kind: 'summary', text: 'In short.', before: 3 }
  const facts = factsOf(words('Read the page'), ...page, summary, words('And now?'))
  expect(facts).toMatchObject({ foreign: ['A page.'], isFresh: false, changed: [] })
  expect(factsOf()).toBeNull()
})

test('of many notes only those that quote others are foreign', () => {
  const text = '* Mine\nmy own\n* Theirs\nquoted\n\nmy own'
  expect(factsOf(result('find', text, 'web'))?.foreign).toEqual(['* Theirs\nquoted'])
  expect(factsOf({ kind: 'material', text })?.foreign).toEqual(['* Theirs\nquoted'])
  expect(factsOf({ kind: 'material', text: 'my own' })?.foreign).toEqual([])
  expect(factsOf(result('find', 'a list', 'web'))).toMatchObject({
    foreign: ['a list'],
    isFresh: true,
  })
})

test('a turn begins behind the end of the last one, and a yes belongs to what was asked before', () => {
  const first = [words('Archive the roof note'), calls('archive-task'), result('archive-task', '')]
  expect(factsOf(...first)?.changed).toEqual([{ tool: 'archive-task', args: { query: 'x' } }])
  const second = [...first, { ...end, outcome: 'waiting' as const }, result('shell', '')]
  expect(factsOf(...second)).toMatchObject({ isUnproven: true, changed: [{}] })
  const third = factsOf(...first, end, words('Tidy the garden list please'))
  expect(third).toMatchObject({ changed: [], heard: ['Tidy the garden list please'] })
  expect(factsOf(...first, end, words('Yes'))?.heard).toEqual(['Archive the roof note', 'Yes'])
  expect(factsOf(words('x'), calls('archive-task', 'planner'))).toMatchObject({ isByRules: true })
})
