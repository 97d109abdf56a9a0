import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Gate, GateContext, Verdict } from '../src/gate.ts'
import { messageAction } from '../src/signal.ts'
import { objections, verify } from '../src/verify.ts'

const context: GateContext = {
  signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
  tools: new Map(),
  home: '/home/ana',
  memexDir: '/home/ana/memex',
  stateDir: '/home/ana/state',
  realPaths: (path) => path,
}

function gate(name: string, priority: number, verdict: Verdict): Gate {
  return { name, priority, check: () => verdict }
}

const pass: Verdict = { kind: 'pass' }
const ask: Verdict = { kind: 'approval', reason: 'really?' }
const no: Verdict = { kind: 'reject', reason: 'no' }

test('the strictest verdict wins, and every gate is asked', () => {
  const verdicts = fc.array(fc.constantFrom(pass, ask, no))
  fc.assert(
    fc.property(verdicts, (given) => {
      const gates = given.map((verdict, index) => gate(`g${index}`, index, verdict))
      const { kind, records } = verify(gates, messageAction('x'), context)
      const strictest = given.includes(no) ? 'reject' : given.includes(ask) ? 'approval' : 'pass'
      expect(kind).toBe(strictest)
      expect(records).toHaveLength(given.length)
    }),
  )
})

test('a higher gate changes what a lower one sees', () => {
  const seen: unknown[] = []
  const change = gate('change', 9, { kind: 'change', action: messageAction('y') })
  const look: Gate = {
    name: 'look',
    priority: 1,
    check(action) {
      seen.push(action.payload.text)
      return pass
    },
  }
  expect(verify([look, change], messageAction('x'), context).action.payload.text).toBe('y')
  expect(seen).toEqual(['y'])
})

test('all objections are named at once', () => {
  const gates = [
    gate('a', 3, no),
    gate('b', 2, pass),
    gate('c', 1, { kind: 'reject', reason: 'nor this' }),
  ]
  expect(objections(verify(gates, messageAction('x'), context).records)).toBe('a: no\nc: nor this')
})
