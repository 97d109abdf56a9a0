import { createHash } from 'node:crypto'
import type { Runtime, TraceEvent } from '@passepartout/core'

/** The address from the environment; null when nothing is to be sent. Throws a TypeError that says what was expected. */
export function parseTelemetryUrl(text: string | undefined): URL | null {
  if (text === undefined || text.trim() === '') return null
  const url = URL.parse(text.trim())
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (!isLocal || url.protocol !== 'http:' || url.username !== '' || url.password !== '') {
    throw new TypeError(
      'Expected PASSEPARTOUT_TELEMETRY_URL to be a collector on this machine, such as http://127.0.0.1:4318',
    )
  }
  if (url.pathname === '/') url.pathname = '/v1/traces'
  return url
}

/** An attribute in OTLP's JSON. */
export interface Attribute {
  key: string
  value: { stringValue: string } | { intValue: string }
}

/** A span in OTLP's JSON; times are nanoseconds since 1970, as text. */
export interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: 1
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  events: { timeUnixNano: string; name: string; attributes: Attribute[] }[]
  status: { code: 0 | 2 }
}

const fieldsSent = new Set([
  'stage',
  'result',
  'target',
  'status',
  'state',
  'size',
  'ms',
  'provider',
])

function attributesOf(fields: Readonly<Record<string, unknown>>): Attribute[] {
  return Object.entries(fields).flatMap(([key, value]): Attribute[] => {
    if (typeof value === 'number') return [{ key, value: { intValue: String(Math.round(value)) } }]
    if (typeof value !== 'string' || value === '') return []
    return [{ key, value: { stringValue: value.slice(0, 100) } }]
  })
}

function idOf(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}

function nanos(ms: number): string {
  return `${Math.round(ms)}000000`
}

function eventsOf({ record, time }: TraceEvent): Span['events'] {
  const { kind, fields = {}, verdicts = [] } = record
  const sent = Object.fromEntries(Object.entries(fields).filter(([name]) => fieldsSent.has(name)))
  const timeUnixNano = nanos(time)
  const gates = verdicts.map(({ gate, verdict, rule, micros }) => ({
    timeUnixNano,
    name: `gate ${gate}`,
    attributes: attributesOf({ verdict, rule, micros }),
  }))
  return [{ timeUnixNano, name: kind, attributes: attributesOf(sent) }, ...gates]
}

const openMax = 1_000

function collectSpans(finished: (span: Span) => void): (event: TraceEvent) => void {
  const open = new Map<string, Span>()
  const roots = new Map<string, string>()
  return (event) => {
    const { id, cause, record, signal, time } = event
    if (!roots.has(id)) remember(roots, id, (cause && roots.get(cause)) ?? cause ?? id)
    const span = open.get(id) ?? openSpan(event, roots.get(id) ?? id)
    remember(open, id, span)
    span.events.push(...eventsOf(event))
    span.endTimeUnixNano = nanos(time)
    if (record.kind === 'error') span.status.code = 2
    if (record.kind !== 'done') return
    span.attributes.push(...attributesOf({ depth: signal.depth }))
    open.delete(id)
    finished(span)
  }
}

function openSpan({ id, cause, signal, time }: TraceEvent, root: string): Span {
  const { source, origin } = signal.meta
  const sensor = signal.payload.sensor ?? signal.type
  return {
    traceId: idOf(root, 32),
    spanId: idOf(id, 16),
    ...(cause === undefined ? {} : { parentSpanId: idOf(cause, 16) }),
    name: sensor,
    kind: 1,
    startTimeUnixNano: nanos(time),
    endTimeUnixNano: nanos(time),
    attributes: attributesOf({ id, sensor, source, origin }),
    events: [],
    status: { code: 0 },
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value)
  if (map.size > openMax) map.delete(map.keys().next().value!)
}

const waitingMax = 2_000
const sendMs = 5_000

/** Sends the spans of this runtime's trace; returns how to stop, after a last try. */
export function startTelemetry(runtime: Runtime, url: URL): () => Promise<void> {
  let waiting: Span[] = []
  let sending: Promise<void> | null = null
  let isFailing = false
  const send = async () => {
    while (waiting.length > 0) {
      const spans = waiting
      waiting = []
      const fault = await post(url, spans)
      if (fault !== null && !isFailing) runtime.log('warn', `telemetry was not sent: ${fault}`)
      isFailing = fault !== null
    }
    sending = null
  }
  const leave = runtime.trace.listen(
    collectSpans((span) => {
      if (waiting.length < waitingMax) waiting.push(span)
      sending ??= Promise.resolve().then(send)
    }),
  )
  return async () => {
    leave()
    await sending
  }
}

async function post(url: URL, spans: Span[]): Promise<string | null> {
  const resource = { attributes: attributesOf({ 'service.name': 'passepartout' }) }
  const scopeSpans = [{ scope: { name: 'passepartout' }, spans }]
  const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(sendMs)
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
    await response.body?.cancel()
    return response.ok ? null : `the collector said ${response.status}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
