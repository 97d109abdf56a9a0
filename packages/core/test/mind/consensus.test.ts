import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Provider, ProviderRequest } from '../../src/contract/provider.ts'
import { Breakers } from '../../src/mind/breaker.ts'
import {
  askTogether,
  type Ballot,
  type CallKind,
  consensusFor,
  decide,
  kindOf,
  voteLine,
} from '../../src/mind/consensus.ts'
import { readProposal } from '../../src/mind/proposal.ts'
import { handClock } from '../base/hand-clock.ts'
import { provider } from '../contract/scripted.ts'

const request: ProviderRequest = {
  system: '',
  messages: [],
  tools: [],
  signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
}

function vote(...providers: Provider[]) {
  const clock = handClock()
  const log = () => {}
  const limits = { timeoutMs: 60_000, deadlineMs: 30_000 }
  const context = { clock, log, breakers: new Breakers(clock), ...limits }
  const abort = new AbortController().signal
  return { clock, result: askTogether(context, providers, request, abort, readProposal) }
}

function shell(cmd: string, explanation = ''): string {
  const payload = { action: 'execute', cmd, explanation }
  return JSON.stringify({ type: 'request', target: 'shell', payload })
}

test('more than half that would do the same decide', async () => {
  const { result } = vote(
    provider('a', shell('rm x', 'tidy')),
    provider('b', shell('ls', 'to look')),
    provider('c', '(:type :request :target :shell :payload (:action :execute :cmd " ls "))'),
  )
  const { agreement, taken, votes } = await result
  expect(agreement).toBe('majority')
  expect(taken?.answer.provider).toBe('b')
  expect(votes).toMatchObject([
    { provider: 'a', calls: [{ kind: 'shell', taken: false }], taken: false },
    { provider: 'b', calls: [{ kind: 'shell', taken: true }], taken: true },
    { provider: 'c', calls: [{ kind: 'shell', taken: true }], taken: false },
  ])
  expect(votes.map(voteLine)[1]).toMatch(/^b: shell [0-9a-f]{12} \(taken\) \(its words\)$/)
})

test('the calls that most of them want are made, and no others', async () => {
  const wanting = (name: string, ...cmds: string[]) =>
    provider(name, cmds.map((cmd) => shell(cmd)).join('\n'))
  const commands = async (...providers: Provider[]) => {
    const { agreement, taken } = await vote(...providers).result
    const calls = taken?.proposal.calls ?? []
    return [taken?.answer.provider, agreement, ...calls.map(({ args }) => (args as Args).cmd)]
  }
  type Args = { cmd: string }
  expect(
    await commands(
      wanting('a', 'rm x', 'ls'),
      wanting('b', 'ls', 'pwd'),
      wanting('c', 'pwd', 'ls', 'df'),
    ),
  ).toEqual(['b', 'majority', 'ls', 'pwd'])
  expect(await commands(wanting('a', 'ls'), wanting('b', 'ls', 'df'), wanting('c', 'df'))).toEqual([
    'b',
    'majority',
    'ls',
    'df',
  ])
  expect(await commands(wanting('a', 'ls', 'df'), wanting('b', 'df', 'ls'))).toEqual([
    'a',
    'agreed',
    'ls',
    'df',
  ])
})

test('whoever only talks agrees with all who only talk', async () => {
  const talking = vote(provider('a', shell('ls')), provider('b', 'Yes.'), provider('c', 'No.'))
  expect(await talking.result).toMatchObject({
    agreement: 'majority',
    taken: { answer: { text: 'Yes.' }, proposal: { calls: [] } },
  })
  const both = vote(provider('a', 'Yes.'), provider('b', 'No.'))
  expect(await both.result).toMatchObject({
    agreement: 'agreed',
    taken: { answer: { text: 'Yes.' } },
  })
})

test('without a majority the safest is taken, and of equals the first', async () => {
  const unlike = vote(
    provider('a', shell('ls')),
    provider('b', '{"type":"request","target":"tool","payload":{"action":"call","tool":"x"}}'),
    provider('c', 'Shall I?'),
  )
  expect(await unlike.result).toMatchObject({
    agreement: 'safest',
    taken: { answer: { provider: 'c' } },
  })
})

test('who has nothing to say has no vote, and nobody waits beyond the deadline', async () => {
  const others = [
    provider('down', new Error('no network')),
    provider('late', () => new Promise(() => {})),
    provider('odd', '{"type":"request","payload":{}}'),
  ]
  const breath = () => new Promise((resolve) => setImmediate(resolve))
  const some = vote(...others, provider('fine', 'Yes.'))
  await breath()
  some.clock.pass(30_000)
  expect(await some.result).toMatchObject({
    agreement: 'alone',
    taken: { answer: { provider: 'fine' } },
    votes: [{ kind: 'absent' }, { kind: 'absent' }, { kind: 'fault' }, { kind: 'words' }],
    failures: ['down failed: no network', 'late took longer than 30 s'],
  })
  expect(some.clock.pending()).toBe(0)
  const none = vote(...others)
  await breath()
  none.clock.pass(30_000)
  expect(await none.result).toMatchObject({
    agreement: null,
    taken: { answer: { provider: 'odd' }, proposal: { faults: [expect.any(String)] } },
  })
})

test.each([
  [{ action: 'message', text: 'x' }, undefined, 'words'],
  [{ action: 'message', cmd: 'ls' }, undefined, 'shell'],
  [{ action: 'message' }, 'shell', 'shell'],
  [{ action: 'message', tool: 'x' }, 'cli', 'tool'],
  [{ action: 'reboot' }, 'system', 'other'],
])('%j to %s is %s', (payload, target, kind) => {
  expect(kindOf({ type: 'request', target, payload })).toBe(kind)
})

test('a consensus is made where it is set, or where the owner asks for it', () => {
  const set = { providers: 2, deadlineMs: 1 }
  const asking = (origin: 'owner' | 'message', consensus?: unknown) => {
    const payload = { sensor: 'user-input', consensus }
    return { type: 'event', meta: { source: 'cli', origin }, payload, depth: 0 } as const
  }
  expect(consensusFor(asking('owner'), null)).toBeNull()
  expect(consensusFor(asking('owner'), set)).toBe(set)
  expect(consensusFor(asking('owner', true), set)).toBe(set)
  expect(consensusFor(asking('owner', true), null)).toMatchObject({ providers: 3 })
  expect(consensusFor(asking('message', true), null)).toBeNull()
})

test('the rule holds for any ballots', () => {
  const order: CallKind[] = ['words', 'tool', 'shell', 'other']
  const ballot: fc.Arbitrary<Ballot> = fc
    .uniqueArray(fc.constantFrom('t1', 't2', 's1', 's2', 'o1'), { maxLength: 3 })
    .map((digests) => {
      const worst = Math.max(0, ...digests.map((digest) => 'wtso'.indexOf(digest[0]!)))
      return { digests: new Set(digests), kind: order[worst]! }
    })
  fc.assert(
    fc.property(fc.array(ballot, { minLength: 2, maxLength: 7 }), (ballots) => {
      const { agreement, digests, index } = decide(ballots)!
      const wanting = (digest: string) => ballots.filter((each) => each.digests.has(digest)).length
      if (agreement === 'safest') {
        const safest = Math.min(...ballots.map(({ kind }) => order.indexOf(kind)))
        expect(order.indexOf(ballots[index]!.kind)).toBe(safest)
        expect(digests).toBe(ballots[index]!.digests)
        for (const digest of digests)
          expect(wanting(digest) * 2).toBeLessThanOrEqual(ballots.length)
      } else {
        for (const digest of digests) expect(wanting(digest) * 2).toBeGreaterThan(ballots.length)
        expect(decide([...ballots].reverse())!.digests).toEqual(digests)
      }
    }),
  )
})
