import { expect, test } from 'vitest'
import { z } from 'zod'
import { askGate, type Gate, type GateContext } from '../src/gate.ts'
import { messageAction } from '../src/signal.ts'

const context: GateContext = {
  signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
  tools: new Map(),
  home: '/home/ana',
  memexDir: '/home/ana/memex',
  stateDir: '/home/ana/.local/state/passepartout',
  realPaths: (path) => path,
  ownerWords: [],
  facts: {},
}

function saying(answer: unknown): Gate {
  return { name: 'test', priority: 1, check: () => answer as never }
}

test.each([
  ['nothing', undefined],
  ['a word', 'pass'],
  ['a promise', Promise.resolve({ kind: 'pass' })],
  ['another kind', { kind: 'allow' }],
  ['a rejection without reason', { kind: 'reject' }],
  ['a change into nothing', { kind: 'change', action: { type: 'request' } }],
])('a gate that answers %s rejects', (_, answer) => {
  expect(askGate(saying(answer), messageAction('x'), context)).toMatchObject({ kind: 'reject' })
})

test('a gate that throws rejects', () => {
  const throwing: Gate = {
    name: 'test',
    priority: 1,
    check() {
      throw new Error('out of order')
    },
  }
  expect(askGate(throwing, messageAction('x'), context)).toEqual({
    kind: 'reject',
    reason: 'The gate test is broken: out of order',
  })
})

test('a gate cannot write into the action', () => {
  const action = messageAction('x')
  const writing: Gate = {
    name: 'test',
    priority: 1,
    check(given) {
      given.payload.text = 'y'
      return { kind: 'pass' }
    },
  }
  expect(askGate(writing, action, context)).toMatchObject({ kind: 'reject' })
  expect(action.payload.text).toBe('x')
})

test('a gate cannot write into the context', () => {
  const tool = { parameters: z.object({}), readOnly: true }
  const given = { ...context, tools: new Map([['agenda', tool]]) }
  const writing = (write: (context: GateContext) => void): Gate => ({
    name: 'test',
    priority: 1,
    check(_, context) {
      write(context)
      return { kind: 'pass' }
    },
  })
  const forging = writing((context) => {
    context.signal.payload.sensor = 'user-input'
  })
  expect(askGate(forging, messageAction('x'), given)).toMatchObject({ kind: 'reject' })
  const clearing = writing((context) => (context.tools as Map<string, unknown>).clear())
  askGate(clearing, messageAction('x'), given)
  expect([given.signal.payload, given.tools.size]).toEqual([{}, 1])
})
