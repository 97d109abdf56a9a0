import type { ProviderEvent, ProviderRequest } from '@passepartout/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { LanguageModel } from '../../src/providers/provider-request.ts'
import {
  defaultTimeouts,
  type ModelSettings,
  modelProvider,
} from '../../src/providers/provider-stream.ts'

const settings: ModelSettings = {
  name: 'large',
  model: 'm',
  baseUrl: 'http://127.0.0.1:9/v1',
  key: () => 'sk-test-key',
  tier: 'any',
  pictures: false,
  callsTools: true,
  ...defaultTimeouts,
}
const request: ProviderRequest = {
  system: 'You are terse.',
  messages: [{ role: 'user', text: 'Hello?' }],
  tools: [{ name: 'agenda', description: 'Dates.', parameters: z.object({ span: z.string() }) }],
  signal: { type: 'event', meta: { source: 'test' }, payload: {}, depth: 0 },
}

async function eventsOf(
  parts: unknown[],
  changed: Partial<ModelSettings> = {},
  asked: Partial<ProviderRequest> = {},
) {
  const stream = ReadableStream.from(parts)
  const model = { doStream: async () => ({ stream }) } as unknown as LanguageModel
  const vendor = { contentType: /x/, connect: async () => model }
  const provider = modelProvider({ ...settings, ...changed }, vendor)
  const events: ProviderEvent[] = []
  const abort = new AbortController().signal
  for await (const event of provider.propose({ ...request, ...asked }, abort)) events.push(event)
  return events
}

const usage = { inputTokens: { total: 9, cacheRead: 4 }, outputTokens: { total: 2 } }
const finish = (unified: string) => ({ type: 'finish', finishReason: { unified, raw: 'x' }, usage })
const said = (delta: string) => ({ type: 'text-delta', id: '0', delta })

const call = (input: string, toolCallId = 'a') => {
  return { type: 'tool-call', toolCallId, toolName: 'agenda', input }
}

test('calls are passed on with their ids when the answer is complete', async () => {
  const events = await eventsOf([
    call('{"span":"sk-test-ke\\u0079","explanation":"You asked."}'),
    call('', 'b'),
    finish('tool-calls'),
  ])
  const args = { span: '…', explanation: 'You asked.' }
  expect(events).toEqual([
    { type: 'tool-call', id: 'a', tool: 'agenda', args },
    { type: 'tool-call', id: 'b', tool: 'agenda', args: {} },
    { type: 'usage', inputTokens: 9, outputTokens: 2, cachedTokens: 4 },
  ])
  const odd = { inputTokens: { total: -1 }, outputTokens: { total: 1e300 } }
  const counts = { type: 'usage', inputTokens: 0, outputTokens: 0 }
  expect(await eventsOf([call(''), { ...finish('stop'), usage: odd }])).toContainEqual(counts)
})

test.each([
  ['{"span": "sk-test-ke\\u0079', 'not JSON'],
  ['[]', 'not an object'],
  [`{"a":${'['.repeat(999)}${']'.repeat(999)}}`, 'nested too deep'],
])('the arguments %s are a fault of their call alone', async (input, why) => {
  const parts = [said('Well'), call(input), call('{}', 'b'), finish('tool-calls')]
  const events = await eventsOf(parts)
  expect(events).toMatchObject([
    { type: 'text' },
    { id: 'a', tool: 'agenda', args: expect.any(String), fault: expect.stringContaining(why) },
    { id: 'b', args: {} },
    { type: 'usage' },
  ])
  expect(JSON.stringify(events)).not.toContain('sk-test-key')
})

test('where nothing may be called, no call is passed on', async () => {
  const parts = [said('So far.'), call('{}'), finish('tool-calls')]
  const events = await eventsOf(parts, {}, { mayCall: false })
  expect(events.map(({ type }) => type)).toEqual(['text', 'usage'])
})

test('text comes in pieces, and a key in it is blacked out', async () => {
  const parts = [
    said(''),
    said('Good '),
    said('sk-te'),
    said('st-key day'),
    said(' sk-'),
    finish('stop'),
  ]
  expect(await eventsOf(parts)).toEqual([
    { type: 'text', text: 'Good ' },
    { type: 'text', text: '… day' },
    { type: 'text', text: ' ' },
    { type: 'text', text: 'sk-' },
    { type: 'usage', inputTokens: 9, outputTokens: 2, cachedTokens: 4 },
  ])
})

const full = { unified: 'length', raw: 'model_context_window_exceeded' }
const malformed = { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' }
const ends: [string, unknown[], string][] = [
  ['a full window', [said('half'), { ...finish('length'), finishReason: full }], 'overflow'],
  ['a call of its own making', [{ ...finish('error'), finishReason: malformed }], 'empty'],
  ['no end', [said('half')], 'protocol'],
  ['the limit of tokens', [said('half'), finish('length')], 'too-long'],
  ['a filter', [said('half'), finish('content-filter')], 'refused'],
  ['no word', [said(' \n'), finish('stop')], 'empty'],
  ['an error', [said('half'), { type: 'error', error: { message: 'sk-test-key' } }], 'server'],
  ['calls without end', Array.from({ length: 40 }, () => call('')), 'too-long'],
  ['too much', Array.from({ length: 300 }, () => said('x'.repeat(1_000))), 'too-long'],
]

test.each(ends)('an answer that ends with %s is a failure', async (_name, parts, kind) => {
  const events = await eventsOf(parts)
  const failures = events.filter(({ type }) => type === 'failure')
  expect(failures).toMatchObject([{ kind }])
  expect(JSON.stringify(events)).not.toContain('sk-test-key')
})

test('pieces without content do not wind the clock', async () => {
  async function* murmuring() {
    yield said('Well')
    while (true) {
      await new Promise((resolve) => setImmediate(resolve))
      yield said('')
    }
  }
  const events = await eventsOf(murmuring() as unknown as unknown[], { chunkTimeoutMs: 30 })
  expect(events).toMatchObject([{ text: 'Well' }, { type: 'failure', kind: 'timeout' }])
})
