import type { ProviderEvent, ProviderRequest } from '@passepartout/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  callOptions,
  defaultTimeouts,
  type LanguageModel,
  type ModelSettings,
  modelProvider,
} from '../../src/providers/provider-stream.ts'

const settings: ModelSettings = {
  name: 'large',
  model: 'm',
  baseUrl: 'http://127.0.0.1:9/v1',
  key: () => 'sk-test-key',
  tier: 'any',
  ...defaultTimeouts,
}
const request: ProviderRequest = {
  system: 'You are terse.',
  prompt: 'Hello?',
  tools: [{ name: 'agenda', description: 'Dates.', parameters: z.object({ span: z.string() }) }],
  rejectionTrace: 'dispatcher: no',
  signal: { type: 'event', meta: { source: 'test' }, payload: {}, depth: 0 },
}

async function eventsOf(parts: unknown[], changed: Partial<ModelSettings> = {}) {
  const stream = ReadableStream.from(parts)
  const model = { doStream: async () => ({ stream }) } as unknown as LanguageModel
  const vendor = { contentType: /x/, connect: async () => model }
  const provider = modelProvider({ ...settings, ...changed }, vendor)
  const events: ProviderEvent[] = []
  const abort = new AbortController().signal
  for await (const event of provider.propose(request, abort)) events.push(event)
  return events
}

const usage = { inputTokens: { total: 9 }, outputTokens: { total: 2 } }
const finish = (unified: string) => ({ type: 'finish', finishReason: { unified, raw: 'x' }, usage })
const said = (delta: string) => ({ type: 'text-delta', id: '0', delta })

test('a question is a system message, a prompt with the objections last, and schemas', () => {
  const { prompt, tools } = callOptions(settings, request, undefined)
  expect(prompt[0]).toEqual({ role: 'system', content: 'You are terse.' })
  expect(JSON.stringify(prompt[1])).toMatch(/Hello\?.*dispatcher: no.*something else/)
  expect(tools?.[0]).toMatchObject({ inputSchema: { required: ['span', 'explanation'] } })
  const { system: _, ...bare } = request
  expect(callOptions(settings, { ...bare, system: '', tools: [] }, undefined)).toMatchObject({
    prompt: [{ role: 'user' }],
  })
})

const call = (input: string) => ({ type: 'tool-call', toolCallId: '1', toolName: 'agenda', input })

test('a call becomes an action when the answer is complete', async () => {
  const [action, counted] = await eventsOf([
    call('{"span":"sk-test-ke\\u0079","explanation":"You asked."}'),
    finish('tool-calls'),
  ])
  const payload = { action: 'call', tool: 'agenda', args: { span: '…' }, explanation: 'You asked.' }
  expect(action).toEqual({ type: 'action', action: { type: 'request', target: 'tool', payload } })
  expect(counted).toEqual({ type: 'usage', inputTokens: 9, outputTokens: 2 })
  const odd = { inputTokens: { total: -1 }, outputTokens: { total: 1e300 } }
  const counts = { type: 'usage', inputTokens: 0, outputTokens: 0 }
  expect(await eventsOf([call(''), { ...finish('stop'), usage: odd }])).toContainEqual(counts)
  expect(await eventsOf([call(''), finish('stop')])).toMatchObject([{ type: 'action' }, {}])
  for (const input of ['{"span":', '[]', `{"a":${'['.repeat(999)}${']'.repeat(999)}}`]) {
    const events = await eventsOf([said('Well'), call(input), finish('tool-calls')])
    expect(events.at(-1)).toMatchObject({ type: 'failure', kind: 'protocol' })
    expect(events.some(({ type }) => type === 'action')).toBe(false)
  }
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
    { type: 'usage', inputTokens: 9, outputTokens: 2 },
  ])
})

const ends: [string, unknown[], string][] = [
  ['no end', [said('half')], 'protocol'],
  ['the limit of tokens', [said('half'), finish('length')], 'too-long'],
  ['a filter', [said('half'), finish('content-filter')], 'refused'],
  ['no word', [said(' \n'), finish('stop')], 'protocol'],
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
