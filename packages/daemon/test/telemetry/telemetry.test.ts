import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { forgetfulTrace, type Runtime, type Signal } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import {
  parseTelemetryUrl,
  type Span,
  schemaUrl,
  startTelemetry,
} from '../../src/telemetry/telemetry.ts'

interface Body {
  path: string | undefined
  resourceSpans: { schemaUrl: string; scopeSpans: [{ schemaUrl: string; spans: Span[] }] }[]
}

async function collector(status = 200) {
  const bodies: Body[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    bodies.push({ path: request.url, ...JSON.parse(body) })
    response.writeHead(status).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const spans = (): Span[] =>
    bodies.flatMap((body) => body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans[0].spans))
  return { url, bodies, spans }
}

function setting() {
  const clock = { ms: 1_000_000, now: () => new Date(clock.ms) }
  const logged: string[] = []
  const log = (_: string, message: string) => logged.push(message)
  const runtime = { trace: forgetfulTrace(clock), clock, log } as unknown as Runtime
  return { runtime, clock, logged }
}

function heard(sensor: string): Signal {
  return {
    type: 'event',
    meta: { source: 'cli', origin: 'owner' },
    payload: { sensor, text: 'dear diary' },
    depth: 0,
  }
}

test('only a collector on this machine is accepted', () => {
  expect(parseTelemetryUrl(undefined)).toBeNull()
  expect(parseTelemetryUrl('http://127.0.0.1:4318')?.href).toBe('http://127.0.0.1:4318/v1/traces')
  expect(parseTelemetryUrl('http://localhost:1/x')?.pathname).toBe('/x')
  for (const url of [
    'https://example.org',
    'http://127.0.0.1.example.org',
    'http://a@localhost',
    'x',
  ]) {
    expect(() => parseTelemetryUrl(url)).toThrow('PASSEPARTOUT_TELEMETRY_URL')
  }
})

test('a turn becomes a trace of spans without words', async () => {
  const { url, bodies, spans } = await collector()
  const { runtime, clock } = setting()
  const stop = startTelemetry(runtime, parseTelemetryUrl(url)!)
  const first = runtime.trace.begin(heard('user-input'))
  clock.ms += 20
  const verdicts = [{ gate: 'g', verdict: 'reject', rule: 'a.b', micros: 7, reason: 'dear diary' }]
  runtime.trace.record({
    kind: 'verdict',
    fields: { stage: 'act', x: 'diary' },
    text: 'diary',
    verdicts,
  })
  runtime.trace.end()
  runtime.trace.begin(heard('tool-output'), first)
  runtime.trace.end()
  await stop()
  expect(bodies[0]!.path).toBe('/v1/traces')
  expect(JSON.stringify(bodies)).not.toContain('diary')
  const [one, two] = spans()
  expect(one).toMatchObject({
    name: 'invoke_agent passepartout',
    startTimeUnixNano: '1000000000000',
  })
  expect(one!.endTimeUnixNano).toBe('1000020000000')
  expect(two).toMatchObject({ traceId: one!.traceId, parentSpanId: one!.spanId })
  const gate = one!.events.find(({ name }) => name === 'gate g')
  expect(gate?.attributes).toContainEqual({ key: 'rule', value: { stringValue: 'a.b' } })
})

const models = new Map([
  ['First', { provider: 'google', model: 'g-1' }],
  ['Second', { provider: 'ollama', model: 'o-2' }],
])

async function sent(content: ((text: string) => string) | null) {
  const { url, bodies, spans } = await collector()
  const { runtime, clock } = setting()
  const stop = startTelemetry(runtime, parseTelemetryUrl(url)!, { models, content })
  runtime.trace.begin(heard('user-input'))
  clock.ms += 1_000
  const asked =
    'First timeout 600 ms; Rest skipped 0 ms; Second answered 300 ms; planner answered 1 ms'
  const fields = { provider: 'Second', asked, 'input-tokens': 9, 'output-tokens': 2 }
  runtime.trace.record({ kind: 'proposal', fields, text: 'a diary and a key' })
  runtime.trace.record({
    kind: 'outcome',
    fields: { status: 'error', target: 'tool', tool: 'agenda', ms: '12.4' },
    text: 'diary',
  })
  runtime.trace.end()
  await stop()
  return { bodies, spans: spans() }
}

const fieldOf = ({ attributes }: Span, key: string) => {
  const value = attributes.find((attribute) => attribute.key === key)?.value
  return value === undefined ? null : Object.values(value)[0]
}

test('models and tools are spans of the conventions', async () => {
  const { bodies, spans } = await sent(null)
  expect(spans.map(({ name, kind, status }) => [name, kind, status.code])).toEqual([
    ['chat g-1', 3, 2],
    ['chat o-2', 3, 0],
    ['execute_tool agenda', 1, 2],
    ['invoke_agent passepartout', 1, 0],
  ])
  const [first, second, tool, turn] = spans as [Span, Span, Span, Span]
  expect(spans.every(({ traceId }) => traceId === turn.traceId)).toBe(true)
  expect([first, second, tool].every(({ parentSpanId }) => parentSpanId === turn.spanId)).toBe(true)
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4)
  expect([fieldOf(first, 'gen_ai.provider.name'), fieldOf(first, 'error.type')]).toEqual([
    'gcp.gemini',
    'timeout',
  ])
  expect(fieldOf(second, 'gen_ai.usage.input_tokens')).toBe('9')
  expect(first.endTimeUnixNano).toBe(second.startTimeUnixNano)
  expect(fieldOf(tool, 'gen_ai.operation.name')).toBe('execute_tool')
  expect(bodies[0]?.resourceSpans[0]?.scopeSpans[0].schemaUrl).toBe(schemaUrl)
  expect(JSON.stringify(bodies)).not.toContain('diary')
})

test('words are sent when the owner wants it, and masked', async () => {
  const { bodies, spans } = await sent((text) => text.replace('key', '···'))
  const chat = spans.find(({ name }) => name === 'chat o-2')!
  expect(JSON.parse(String(fieldOf(chat, 'gen_ai.output.messages')))).toEqual([
    {
      role: 'assistant',
      parts: [{ type: 'text', content: 'a diary and a ···' }],
      finish_reason: 'stop',
    },
  ])
  expect(JSON.stringify(bodies)).not.toContain('a key')
  expect(String(fieldOf(spans.at(-1)!, 'gen_ai.input.messages'))).toContain('dear diary')
})

test.each([500, 0])('a collector that answers %d costs one line in the log', async (status) => {
  const url = status === 0 ? 'http://127.0.0.1:9' : (await collector(status)).url
  const { runtime, logged } = setting()
  const stop = startTelemetry(runtime, new URL(url))
  for (const _ of [1, 2, 3]) {
    runtime.trace.begin(heard('user-input'))
    runtime.trace.end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await stop()
  expect(logged).toEqual([expect.stringContaining('telemetry was not sent')])
})
