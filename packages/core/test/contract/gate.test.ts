import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  askGate,
  frozenContext,
  frozenCopy,
  type Gate,
  type GateContext,
} from '../../src/contract/gate.ts'
import { type Action, messageAction } from '../../src/contract/signal.ts'

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

function asked(gate: Gate, action: Action, given = context) {
  return askGate(gate, frozenCopy(action), frozenContext(given))
}

test.each([
  ['nothing', undefined],
  ['a word', 'pass'],
  ['a promise', Promise.resolve({ kind: 'pass' })],
  ['another kind', { kind: 'allow' }],
  ['a rejection without reason', { kind: 'reject' }],
  ['a change into nothing', { kind: 'change', action: { type: 'request' } }],
  ['a rule that is none', { kind: 'pass', rule: 7 }],
])('a gate that answers %s rejects', (_, answer) => {
  expect(asked(saying(answer), messageAction('x'))).toMatchObject({ kind: 'reject' })
})

test('a gate that throws rejects', () => {
  const throwing: Gate = {
    name: 'test',
    priority: 1,
    check() {
      throw new Error('out of order')
    },
  }
  expect(asked(throwing, messageAction('x'))).toEqual({
    kind: 'reject',
    reason: 'The gate test is broken: out of order',
    rule: 'gate.broken',
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
  expect(asked(writing, action)).toMatchObject({ kind: 'reject' })
  expect(action.payload.text).toBe('x')
})

test('a gate cannot write into the context', () => {
  type Tool = { run(): void }
  const tool = { parameters: z.object({}), readOnly: true, run: () => {} }
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
  expect(asked(forging, messageAction('x'), given)).toMatchObject({ kind: 'reject' })
  const clearing = writing((context) => (context.tools as Map<string, unknown>).clear())
  expect(asked(clearing, messageAction('x'), given)).toMatchObject({ kind: 'reject' })
  const running = writing((context) => (context.tools.get('agenda') as never as Tool).run())
  expect(asked(running, messageAction('x'), given)).toMatchObject({ kind: 'reject' })
  expect([given.signal.payload, given.tools.size]).toEqual([{}, 1])
})

test('a frozen copy is equal, deep, and cannot be written to', () => {
  const given = JSON.parse('{"a": [1, {"b": null}], "__proto__": {"c": true}}')
  const copy = frozenCopy(given)
  expect(copy).toEqual(given)
  expect(Object.keys(copy)).toEqual(['a', '__proto__'])
  expect([copy.c, Object.isFrozen(copy.a[1])]).toEqual([undefined, true])
  const endless: unknown[] = []
  endless.push(endless)
  expect(() => frozenCopy(endless)).toThrow(RangeError)
  expect(() => frozenCopy({ a: () => 1 })).toThrow()
})
