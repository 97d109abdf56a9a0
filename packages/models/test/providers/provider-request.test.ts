import type { Message, ProviderRequest } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { callOptions } from '../../src/providers/provider-request.ts'

const signal = { type: 'event', meta: { source: 'test' }, payload: {}, depth: 0 } as const
const agenda = { name: 'agenda', description: 'Dates.', parameters: z.object({ span: z.string() }) }
const request: ProviderRequest = {
  system: 'You are terse.',
  messages: [{ role: 'user', text: 'Hello?' }],
  tools: [agenda],
  signal,
}
const seeing = { pictures: true, callsTools: true }

const calls = [
  { id: 'a', tool: 'agenda', args: { span: 'week' } },
  { id: 'b', tool: 'agenda', args: '{"span":' },
]
const results = [
  { call: 'a', tool: 'agenda', isError: false, text: '' },
  { call: 'b', tool: 'agenda', isError: true, text: 'not JSON' },
]

test('a conversation keeps its roles, and each result the id of its call', () => {
  const messages: Message[] = [
    { role: 'user', text: 'Notes.' },
    { role: 'user', text: 'What is on?' },
    { role: 'assistant', text: 'I look.', calls },
    { role: 'tool', results },
  ]
  const { prompt } = callOptions(seeing, { ...request, messages })
  expect(prompt).toMatchObject([
    { role: 'system', content: 'You are terse.' },
    { role: 'user', content: [{ type: 'text', text: 'Notes.\n\nWhat is on?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'agenda', input: { span: 'week' } },
        { type: 'tool-call', toolCallId: 'b', input: { unreadable: '{"span":' } },
      ],
    },
    {
      role: 'tool',
      content: [
        { toolCallId: 'a', output: { type: 'text', value: '(It said nothing.)' } },
        { toolCallId: 'b', output: { type: 'error-text', value: 'not JSON' } },
      ],
    },
  ])
})

test('a picture is shown to a model that can see, and told to one that cannot', () => {
  const pictures = [{ mediaType: 'image/png', data: 'iVBORw0=' }]
  const messages: Message[] = [{ role: 'user', text: 'What is this?', pictures }]
  const shown = (sees: boolean) =>
    callOptions({ ...seeing, pictures: sees }, { ...request, messages }).prompt[1]?.content
  expect(shown(true)).toMatchObject([
    { text: 'What is this?' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0=' } },
  ])
  expect(shown(false)).toEqual([
    { type: 'text', text: 'What is this?\n(Here is a picture, image/png, unseen by you.)' },
  ])
})

test('the last request of a turn describes the tools and forbids them', () => {
  const last = callOptions(seeing, { ...request, mayCall: false })
  expect(last.toolChoice).toEqual({ type: 'none' })
  expect(last.tools).toEqual(callOptions(seeing, request).tools)
  expect(callOptions(seeing, { ...request, system: '', tools: [] })).toEqual({
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
    tools: [],
  })
})

test('the marks stand behind the system prompt and the last two messages that were sent', () => {
  const mark = { vendor: { cache: true } }
  const messages: Message[] = [
    { role: 'user', text: 'One.' },
    { role: 'assistant', text: '', calls: calls.slice(0, 1) },
    { role: 'tool', results: results.slice(0, 1) },
    { role: 'assistant', text: 'Done.', calls: [] },
    { role: 'user', text: 'Two.' },
  ]
  const { prompt } = callOptions(seeing, { ...request, messages }, { mark })
  expect(prompt.map(({ providerOptions }) => providerOptions !== undefined)).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
  ])
})

test('an earlier request is the beginning of a later one', () => {
  const word = fc.constantFrom('a', 'b', 'c')
  const step = word.map((text): Message[] => [
    { role: 'assistant', text, calls },
    { role: 'tool', results },
  ])
  const turn = fc.tuple(word, fc.array(step, { maxLength: 3 })).map(([text, steps]) => {
    const said: Message = { role: 'user', text }
    return [said, ...steps.flat(), { role: 'assistant', text: 'So.', calls: [] } as Message]
  })
  const abilities = fc.record({ pictures: fc.boolean(), callsTools: fc.boolean() })
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), abilities, (turns, can) => {
      const all = turns.flat()
      const written = (count: number) =>
        JSON.stringify(callOptions(can, { ...request, messages: all.slice(0, count) }).prompt)
      const asked = all.flatMap(({ role }, at) => (role === 'assistant' ? [] : [at + 1]))
      const last = written(all.length)
      for (const count of asked) expect(last.startsWith(written(count).slice(0, -1))).toBe(true)
    }),
  )
})
