import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { forgetfulTrace, type Runtime, type Signal } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { parseTelemetryUrl, type Span, startTelemetry } from '../src/telemetry.ts'

interface Body {
  path: string | undefined
  resourceSpans: { scopeSpans: [{ spans: Span[] }] }[]
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
  expect(one).toMatchObject({ name: 'user-input', startTimeUnixNano: '1000000000000' })
  expect(one!.endTimeUnixNano).toBe('1000020000000')
  expect(two).toMatchObject({ traceId: one!.traceId, parentSpanId: one!.spanId })
  const gate = one!.events.find(({ name }) => name === 'gate g')
  expect(gate?.attributes).toContainEqual({ key: 'rule', value: { stringValue: 'a.b' } })
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
