import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gateMaxMicros, objections, settle, verify } from '../../src/approval/verify.ts'
import type { Gate, GateContext, GatePanel, Verdict } from '../../src/contract/gate.ts'
import { type Action, messageAction } from '../../src/contract/signal.ts'

const context: GateContext = {
  signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
  tools: new Map(),
  home: '/home/ana',
  memexDir: '/home/ana/memex',
  stateDir: '/home/ana/state',
  realPaths: (path) => path,
  ownerWords: [],
  facts: {},
}

function gate(name: string, priority: number, verdict: Verdict): Gate {
  return { name, priority, check: () => verdict }
}

const pass: Verdict = { kind: 'pass' }
const ask: Verdict = { kind: 'approval', reason: 'really?' }
const no: Verdict = { kind: 'reject', reason: 'no' }

test('what a gate loads is not in its time', () => {
  let isLoaded = false
  const load = () => {
    const end = process.cpuUsage().user + 2 * gateMaxMicros
    while (!isLoaded && process.cpuUsage().user < end);
    isLoaded = true
  }
  const slow: Gate = {
    name: 'slow',
    priority: 1,
    prepare: load,
    check() {
      load()
      return pass
    },
  }
  expect(verify([slow], messageAction('x'), context).kind).toBe('pass')
  isLoaded = false
  const { prepare: _, ...unprepared } = slow
  expect(verify([unprepared], messageAction('x'), context).kind).toBe('reject')
  const fail = () => {
    throw new Error('no disk')
  }
  const unable: Gate = { name: 'unable', priority: 1, prepare: fail, check: fail }
  expect(verify([unable], messageAction('x'), context, 100)).toMatchObject({
    kind: 'reject',
    records: [{ verdict: { reason: expect.stringContaining('no disk') } }],
  })
})

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

function seated(...said: (Verdict | Error)[]): Gate[] {
  const panel: GatePanel = {
    ask: async (gates) =>
      gates.map((_, at) => {
        const each = said[at]!
        return each instanceof Error ? { error: each, micros: 1 } : { said: each, micros: 1 }
      }),
  }
  const check = () => no
  return said.map((_, at) => ({ name: `p${at}`, priority: -at, check, panel }))
}

test.each([
  ['passes', [pass, pass], 'pass'],
  ['asks', [pass, ask], 'approval'],
  ['rejects', [no, ask], 'reject'],
  ['does not answer', [new Error('it is gone'), pass], 'reject'],
  ['answers out of shape', [{ kind: 'allow' } as never], 'reject'],
])('a panel that %s', async (_, said, kind) => {
  const gates = [gate('a', 1, pass), ...seated(...said)]
  expect(await settle(gates, messageAction('x'), context)).toMatchObject({ kind })
  expect(verify(gates, messageAction('x'), context).kind).toBe('reject')
})

test('a panel that cannot be asked has rejected, and the house is heard beside it', async () => {
  const panel: GatePanel = { ask: () => Promise.reject(new Error('it did not start')) }
  const own: Gate = { name: 'own', priority: 9, check: () => pass, panel }
  const { kind, records } = await settle([own, gate('a', 1, no)], messageAction('x'), context)
  expect(kind).toBe('reject')
  expect(objections(records)).toBe('a: no\nown: The gate own is broken: it did not start')
})

const call = (tool: string, args: object): Action => ({
  type: 'request',
  target: 'tool',
  payload: { action: 'call', tool, args: { ...args } },
})

test.each([
  [call('capture-task', { title: 'Call Ana' }), call('complete-task', { query: 'Rent' }), 'tool'],
  [call('tag-task', { add: ['a'] }), call('tag-task', { add: ['b'] }), 'args'],
  [messageAction('I did it'), messageAction('I did not do it'), 'text'],
])('a panel may not make another action of one', async (proposed, made, field) => {
  const gates = [gate('house', 1, pass), ...seated({ kind: 'change', action: made })]
  const { action, kind, records } = await settle(gates, proposed, context)
  expect({ action, kind }).toEqual({ action: proposed, kind: 'reject' })
  expect(objections(records)).toContain(`p0: The gate p0 made another action of it (its ${field})`)
})

test('a panel may mask words, and the house judges what is left', async () => {
  const seen: unknown[] = []
  const look: Gate = {
    name: 'look',
    priority: 1,
    check: ({ payload }) => (seen.push(payload.text) === 0 ? no : pass),
  }
  const masking = seated({ kind: 'change', action: messageAction('It is ████.') })
  const { action, kind } = await settle([look, ...masking], messageAction('It is 1234.'), context)
  expect([kind, action.payload.text]).toEqual(['pass', 'It is ████.'])
  expect(seen.at(-1)).toBe('It is ████.')
})

const noShouting: Gate = {
  name: 'no-shouting',
  priority: 9,
  check: ({ payload }) => (payload.text?.includes('!') ? no : pass),
}

function changing(to: (text: string) => string): Gate {
  return {
    name: 'changing',
    priority: 1,
    check: ({ payload }) => ({ kind: 'change', action: messageAction(to(payload.text ?? '')) }),
  }
}

test('what a gate has changed is judged by those above it too', async () => {
  const shouting = [noShouting, changing((text) => `${text}!`)]
  expect(verify(shouting, messageAction('x'), context).kind).toBe('pass')
  expect(await settle(shouting, messageAction('x'), context)).toMatchObject({
    kind: 'reject',
    action: messageAction('x'),
  })
  const quiet = [noShouting, changing((text) => text.toLowerCase())]
  expect(await settle(quiet, messageAction('X'), context)).toMatchObject({
    kind: 'pass',
    action: messageAction('x'),
  })
  const masking: Gate = {
    ...changing((text) => text),
    check: ({ payload }) =>
      payload.text === 'x' ? pass : { kind: 'change', action: messageAction('x') },
  }
  const { records } = await settle([noShouting, masking], messageAction('a secret'), context)
  expect(records.map(({ gate, verdict }) => `${gate} ${verdict.kind}`)).toEqual([
    'changing change',
    'no-shouting pass',
    'changing pass',
  ])
})

test('gates that never agree let nothing through', async () => {
  const growing = changing((text) => `${text}x`)
  expect(await settle([growing], messageAction('x'), context)).toMatchObject({
    kind: 'reject',
    records: [{ verdict: { reason: 'the gates keep changing the action' } }],
  })
})

test('what counts is what a gate says about the action that would run', async () => {
  const asking: Gate = {
    name: 'asking',
    priority: 9,
    check: ({ payload }) => (payload.text === 'x' ? ask : pass),
  }
  const settled = async (to: string, text: string) =>
    (await settle([asking, changing(() => to)], messageAction(text), context)).kind
  expect([await settled('y', 'x'), await settled('x', 'y')]).toEqual(['pass', 'approval'])
})

const evilText = `${'a'.repeat(64)}!`

test.each([
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
  ['a catastrophic expression', (text: string) => void /^(a+)+$/.test(text)],
])('a gate with %s is ended, and has rejected', async (_, endless) => {
  const hanging: Gate = {
    name: 'hanging',
    priority: 9,
    check({ payload }) {
      endless(payload.text ?? '')
      return pass
    },
  }
  const result = await settle([hanging, gate('b', 1, ask)], messageAction(evilText), context, 50)
  expect(result).toMatchObject({
    kind: 'reject',
    records: [
      { gate: 'hanging', verdict: { kind: 'reject', rule: 'gate.broken' }, micros: 50_000 },
      { gate: 'b', verdict: ask },
    ],
  })
})

test('a gate that takes too much of the processor has rejected', () => {
  const slow: Gate = {
    name: 'slow',
    priority: 9,
    check() {
      const begin = process.threadCpuUsage()
      while (process.threadCpuUsage(begin).user < 60_000);
      return pass
    },
  }
  const { kind, records } = verify([slow, gate('b', 1, pass)], messageAction('x'), context)
  expect([kind, records[0]?.verdict.rule, records[1]?.verdict]).toEqual([
    'reject',
    'gate.broken',
    pass,
  ])
})

test('a gate that was kept from working may pass', () => {
  const waiting: Gate = {
    name: 'waiting',
    priority: 9,
    check() {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 70)
      return pass
    },
  }
  const { kind, records } = verify([waiting], messageAction('x'), context)
  expect(kind).toBe('pass')
  expect(records[0]?.micros).toBeGreaterThanOrEqual(50_000)
})

test('what cannot be shown to a gate is rejected', async () => {
  const signal = { ...context.signal, payload: { run: () => {} } }
  const given = { ...context, signal }
  expect((await settle([gate('a', 1, pass)], messageAction('x'), given)).kind).toBe('reject')
  expect(verify([gate('a', 1, pass)], messageAction('x'), given).kind).toBe('reject')
})

test('the same action gets the same verdicts', async () => {
  const check: Gate['check'] = ({ payload }) => [pass, ask, no][(payload.text ?? '').length % 3]!
  const gates = [1, 2, 3].map((priority): Gate => ({ name: `g${priority}`, priority, check }))
  await fc.assert(
    fc.asyncProperty(fc.string(), async (text) => {
      const asked = [0, 1].map(() => settle(gates, messageAction(text), context, null))
      const [a, b] = (await Promise.all(asked)).map(({ kind, records }) => {
        return [kind, ...records.map(({ gate, verdict }) => [gate, verdict])]
      })
      expect(b).toEqual(a)
    }),
  )
})

test('all objections are named at once', () => {
  const gates = [
    gate('a', 3, no),
    gate('b', 2, pass),
    gate('c', 1, { kind: 'reject', reason: 'nor this' }),
  ]
  expect(objections(verify(gates, messageAction('x'), context).records)).toBe('a: no\nc: nor this')
})

test('a reason stays in its line', () => {
  const verdict: Verdict = { kind: 'reject', reason: 'not ls\r\nb: fine by me\u2028really\n' }
  expect(objections([{ gate: 'a', verdict, micros: 1 }])).toBe('a: not ls ⏎ b: fine by me ⏎ really')
})
