import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Provider, ProviderRequest } from '../../src/contract/provider.ts'
import { Breakers } from '../../src/mind/breaker.ts'
import {
  askTogether,
  type Ballot,
  decide,
  kindOf,
  type ProposalKind,
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

function shell(cmd: string, explanation: string): string {
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
    { provider: 'a', kind: 'shell', taken: false },
    { provider: 'b', kind: 'shell', taken: true },
    { provider: 'c', kind: 'shell', taken: false },
  ])
  expect(votes[1]!.digest).toBe(votes[2]!.digest)
  expect(votes[0]!.digest).not.toBe(votes[1]!.digest)
})

test('otherwise the safest is taken, and of equals the first', async () => {
  const unlike = vote(
    provider('a', shell('ls', '')),
    provider('b', '{"type":"request","target":"tool","payload":{"action":"call","tool":"x"}}'),
    provider('c', 'Shall I?'),
  )
  expect(await unlike.result).toMatchObject({
    agreement: 'safest',
    taken: { answer: { provider: 'c' } },
  })
  const talking = vote(provider('a', 'Yes.'), provider('b', 'No.'))
  expect(await talking.result).toMatchObject({ taken: { answer: { text: 'Yes.' } } })
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
    votes: [{ kind: 'absent' }, { kind: 'absent' }, { kind: 'fault' }, { kind: 'message' }],
    failures: ['down failed: no network', 'late took longer than 30 s'],
  })
  expect(some.clock.pending()).toBe(0)
  const none = vote(...others)
  await breath()
  none.clock.pass(30_000)
  expect(await none.result).toMatchObject({
    agreement: null,
    taken: { answer: { provider: 'odd' }, proposal: { action: { ok: false } } },
  })
})

test.each([
  [{ action: 'message', text: 'x' }, undefined, 'message'],
  [{ action: 'message', cmd: 'ls' }, undefined, 'shell'],
  [{ action: 'message' }, 'shell', 'shell'],
  [{ action: 'message', tool: 'x' }, 'cli', 'tool'],
  [{ action: 'reboot' }, 'system', 'other'],
])('%j to %s is %s', (payload, target, kind) => {
  expect(kindOf({ type: 'request', target, payload })).toBe(kind)
})

test('the rule holds for any ballots', () => {
  const order: ProposalKind[] = ['message', 'tool', 'shell', 'other']
  const ballot: fc.Arbitrary<Ballot> = fc
    .constantFrom('m1', 'm2', 't1', 's1', 's2', 'o1')
    .map((digest) => ({ digest, kind: order['mtso'.indexOf(digest[0]!)]! }))
  fc.assert(
    fc.property(fc.array(ballot, { minLength: 2, maxLength: 7 }), (ballots) => {
      const { agreement, index } = decide(ballots)!
      const taken = ballots[index]!
      const same = ballots.filter(({ digest }) => digest === taken.digest).length
      const reverse = [...ballots].reverse()
      if (agreement === 'safest') {
        const safest = Math.min(...ballots.map(({ kind }) => order.indexOf(kind)))
        expect(order.indexOf(taken.kind)).toBe(safest)
        expect(same * 2).toBeLessThanOrEqual(ballots.length)
        expect(ballots.findIndex(({ kind }) => kind === taken.kind)).toBe(index)
      } else {
        expect(same * 2).toBeGreaterThan(ballots.length)
        expect(reverse[decide(reverse)!.index]!.digest).toBe(taken.digest)
      }
    }),
  )
})
