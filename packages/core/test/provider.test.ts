import { expect, test } from 'vitest'
import { ask, type Provider, type ProviderEvent, type ProviderRequest } from '../src/provider.ts'

const request: ProviderRequest = {
  system: '',
  prompt: 'hello',
  tools: [],
  signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
}

function provider(name: string, ...events: (ProviderEvent | Error)[]): Provider {
  return {
    name,
    async *propose() {
      for (const event of events) {
        if (event instanceof Error) throw event
        yield event
      }
    },
  }
}

const never = new AbortController().signal

test('the first provider that does not fail answers', async () => {
  const providers = [
    provider('broken', { type: 'text', text: 'half' }, new Error('cut off')),
    provider('away', { type: 'failure', message: 'no network' }),
    provider('silent'),
    provider('rules', { type: 'text', text: 'he' }, { type: 'text', text: 'llo' }),
    provider('spare', { type: 'text', text: 'never asked' }),
  ]
  const answer = await ask(providers, request, never)
  expect(answer).toEqual({
    provider: 'rules',
    text: 'hello',
    plainText: false,
    proposal: null,
    failures: ['broken failed: cut off', 'no network', 'silent said nothing'],
  })
})

test('only the first action of an answer counts', async () => {
  const first: ProviderEvent = { type: 'action', action: 1 }
  const answer = await ask([provider('p', first, { type: 'action', action: 2 })], request, never)
  expect(answer.proposal).toBe(first)
})

test('a provider that does not stop speaking has failed', async () => {
  const endless: Provider = {
    name: 'endless',
    async *propose() {
      while (true) yield { type: 'text', text: 'na '.repeat(1_000) }
    },
  }
  expect(await ask([endless], request, never)).toMatchObject({
    provider: null,
    failures: ['endless said too much'],
  })
})

test('when all fail, nobody answered', async () => {
  expect(await ask([], request, never)).toMatchObject({ provider: null, proposal: null })
})

test('an interrupt ends the wait for a provider that does not listen', async () => {
  const controller = new AbortController()
  const deaf: Provider = {
    name: 'deaf',
    async *propose() {
      yield { type: 'text', text: 'well' }
      controller.abort()
      await new Promise(() => {})
    },
  }
  const providers = [deaf, provider('spare', { type: 'text', text: 'too late' })]
  const answer = await ask(providers, request, controller.signal)
  expect(answer).toMatchObject({ provider: null, failures: ['deaf failed: it was stopped'] })
  expect(await ask(providers, request, controller.signal)).toMatchObject({ provider: null })
})
