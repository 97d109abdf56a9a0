import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ProviderEvent, ProviderRequest } from '@passepartout/core'
import { expect, test } from 'vitest'
import { createOpenAiProvider, parseOpenAiSettings } from '../src/provider-openai.ts'

type Answer = (request: Record<string, unknown>, response: ServerResponse) => void

async function serve(answer: Answer): Promise<{ url: string; server: Server }> {
  const server = createServer((incoming: IncomingMessage, response) => {
    let body = ''
    incoming.on('data', (chunk) => {
      body += chunk
    })
    incoming.on('end', () => answer(JSON.parse(body), response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, server }
}

test('settings come from the environment, and wrong ones name their variable', () => {
  expect(parseOpenAiSettings({})).toBeNull()
  expect(
    parseOpenAiSettings({
      PASSEPARTOUT_PROVIDER_URL: 'http://127.0.0.1:1/v1',
      PASSEPARTOUT_PROVIDER_MODEL: 'm',
    }),
  ).toMatchObject({ url: 'http://127.0.0.1:1/v1', model: 'm' })
  expect(() => parseOpenAiSettings({ PASSEPARTOUT_PROVIDER_URL: 'nonsense' })).toThrow(
    /PROVIDER_URL and PASSEPARTOUT_PROVIDER_MODEL/,
  )
})

function chunk(delta: Record<string, unknown>, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }
  return `data: ${JSON.stringify({ ...head, choices })}\n\n`
}

function stream(response: ServerResponse, ...chunks: string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(`${chunks.join('')}data: [DONE]\n\n`)
}

async function answers(
  answer: Answer,
  limits = { timeoutMs: 20_000, silenceMs: 20_000 },
): Promise<ProviderEvent[]> {
  const { url, server } = await serve(answer)
  const provider = createOpenAiProvider({ url, model: 'm', key: 'sk-test', ...limits })
  const signal = {
    type: 'event',
    meta: { source: 'test' },
    payload: { sensor: 'user-input' },
    depth: 0,
  } as const
  const request: ProviderRequest = {
    system: 'You are terse.',
    prompt: 'Hello?',
    tools: [],
    rejectionTrace: 'dispatcher: no',
    signal,
  }
  const events: ProviderEvent[] = []
  for await (const event of provider.propose(request, new AbortController().signal))
    events.push(event)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return events
}

test('text comes back in pieces, and the rejection trace reaches the model', async () => {
  let asked: Record<string, unknown> = {}
  const events = await answers((request, response) => {
    asked = request
    stream(
      response,
      chunk({ role: 'assistant', content: 'Good ' }),
      chunk({ content: 'day' }),
      chunk({}, 'stop'),
    )
  })
  expect(events).toEqual([
    { type: 'text', text: 'Good ' },
    { type: 'text', text: 'day' },
  ])
  expect(asked).toMatchObject({
    model: 'm',
    messages: [{ role: 'system', content: 'You are terse.' }, { role: 'user' }],
  })
  expect(JSON.stringify(asked.messages)).toContain('dispatcher: no')
})

test('a tool call becomes an action', async () => {
  const call = { name: 'agenda', arguments: '{"span":"today","explanation":"You asked."}' }
  const events = await answers((_request, response) => {
    const tool_calls = [{ index: 0, id: 't1', type: 'function', function: call }]
    stream(response, chunk({ role: 'assistant', tool_calls }), chunk({}, 'tool_calls'))
  })
  expect(events).toEqual([
    {
      type: 'action',
      action: {
        type: 'request',
        target: 'tool',
        payload: {
          action: 'call',
          tool: 'agenda',
          args: { span: 'today' },
          explanation: 'You asked.',
        },
      },
    },
  ])
})

const trouble: [string, Answer][] = [
  [
    'an error',
    (_request, response) =>
      response.writeHead(500).end('{"error":{"message":"sk-test is on fire"}}'),
  ],
  ['garbage', (_request, response) => response.writeHead(200).end('\u0000<html>')],
  ['silence', () => {}],
  [
    'nothing',
    (_request, response) =>
      stream(response, chunk({ role: 'assistant', content: '' }), chunk({}, 'stop')),
  ],
]

test.each(trouble)('a server that answers with %s is a failure event', async (_name, answer) => {
  const events = await answers(answer, { timeoutMs: 300, silenceMs: 200 })
  const failures = events.filter((event) => event.type === 'failure')
  expect(failures).toHaveLength(1)
  expect(JSON.stringify(events)).not.toContain('sk-test')
})

test('a server that is not there is a failure event', async () => {
  const { url, server } = await serve(() => {})
  await new Promise((resolve) => server.close(resolve))
  const provider = createOpenAiProvider({ url, model: 'm', timeoutMs: 5_000, silenceMs: 5_000 })
  const signal = { type: 'event', meta: { source: 'test' }, payload: {}, depth: 0 } as const
  const request: ProviderRequest = { system: '', prompt: 'x', tools: [], signal }
  const events: ProviderEvent[] = []
  for await (const event of provider.propose(request, new AbortController().signal))
    events.push(event)
  expect(events.map((event) => event.type)).toEqual(['failure'])
})
