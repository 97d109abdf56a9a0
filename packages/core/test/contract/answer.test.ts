import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AskOptions, askOne } from '../../src/contract/answer.ts'
import type { ProviderEvent, ProviderRequest } from '../../src/contract/provider.ts'
import { handClock } from '../base/hand-clock.ts'
import { type Line, provider } from './scripted.ts'

const request: ProviderRequest = {
  system: '',
  messages: [{ role: 'user', text: 'hello' }],
  tools: [],
  signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
}

function options(given: Partial<AskOptions> = {}): AskOptions {
  const abort = new AbortController().signal
  return { clock: handClock(), abort, timeoutMs: 60_000, ...given }
}

test('an answer is collected from its pieces', async () => {
  const calls: ProviderEvent[] = [1, 2, 3].map((action) => ({ type: 'action', action }))
  const usage: ProviderEvent = { type: 'usage', inputTokens: 3, outputTokens: 4, cachedTokens: 1 }
  const talking = provider('p', 'he', 'llo', ...calls, usage)
  expect(await askOne(talking, request, options())).toEqual({
    ok: true,
    answer: {
      provider: 'p',
      text: 'hello',
      plainText: false,
      rules: false,
      calls,
      usage: { inputTokens: 3, outputTokens: 4, cachedTokens: 1 },
    },
  })
  const eager = Array.from({ length: 40 }, () => calls[0]!)
  const asked = await askOne(provider('p', ...eager), request, options())
  expect(asked.ok && asked.answer.calls).toHaveLength(32)
})

test.each<[string, Line[], string, string | undefined]>([
  ['throws', [new Error('cut off')], 'p failed: cut off', undefined],
  ['throws in the middle', ['half', new Error('cut off')], 'p failed: cut off', undefined],
  [
    'reports',
    ['half', { type: 'failure', message: 'busy', kind: 'rate-limit' }],
    'busy',
    'rate-limit',
  ],
  ['says nothing', [], 'p said nothing', 'empty'],
  ['says blanks', [' \n', '\t'], 'p said nothing', 'empty'],
])('a provider that %s has failed', async (_, script, message, kind) => {
  const asked = await askOne(provider('p', ...script), request, options())
  expect(asked).toMatchObject({ ok: false, failure: { message } })
  expect(asked.ok === false && asked.failure.kind).toBe(kind)
})

function endless(event: ProviderEvent) {
  return {
    name: 'endless',
    async *propose() {
      while (true) yield event
    },
  }
}

test('a provider that does not stop speaking has failed', async () => {
  const talking = endless({ type: 'text', text: 'na '.repeat(1_000) })
  expect(await askOne(talking, request, options())).toMatchObject({
    failure: { message: 'endless said too much', kind: 'too-long' },
  })
  const clock = handClock()
  const counting = endless({ type: 'usage', inputTokens: 1, outputTokens: 1 })
  setImmediate(() => clock.pass(60_000))
  expect(await askOne(counting, request, options({ clock }))).toMatchObject({
    failure: { message: 'endless took longer than 60 s', kind: 'timeout' },
  })
})

test('the wait ends with the time limit, or with the owner, and nothing is left behind', async () => {
  const clock = handClock()
  const never = () => new Promise(() => {})
  const deaf = provider('deaf', 'well', () => clock.pass(60_000), never)
  expect(await askOne(deaf, request, options({ clock }))).toMatchObject({
    failure: { kind: 'timeout' },
  })
  const owner = new AbortController()
  const stopped = provider('deaf', 'well', () => owner.abort(), never)
  const asked = askOne(stopped, request, options({ clock, abort: owner.signal }))
  expect(await asked).toMatchObject({ failure: { message: 'deaf was stopped', kind: 'aborted' } })
  expect(clock.pending()).toBe(0)
})

test('a provider that ends politely when it is stopped has not answered', async () => {
  const owner = new AbortController()
  const polite = provider('p', 'half', () => owner.abort())
  expect(await askOne(polite, request, options({ abort: owner.signal }))).toMatchObject({
    failure: { kind: 'aborted' },
  })
})

test('any sequence of events ends in an answer or a failure', async () => {
  const line = fc.oneof(
    fc.string(),
    fc.constantFrom<ProviderEvent>(
      { type: 'failure', message: 'no' },
      { type: 'action', action: null },
      { type: 'usage', inputTokens: 1, outputTokens: 2 },
    ),
    fc.constant(new Error('no')),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(line), async (script) => {
      let heard = ''
      const listener = { hear: (piece: string) => (heard += piece), restart() {}, shown: false }
      const clock = handClock()
      const asked = await askOne(provider('p', ...script), request, options({ clock, listener }))
      if (asked.ok) expect(asked.answer.text).toBe(heard)
      else expect(asked.failure.message).not.toBe('')
      expect(clock.pending()).toBe(0)
    }),
  )
})
