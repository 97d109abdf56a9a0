import { createHash } from 'node:crypto'
import { messageOf, type Runtime, type TraceEvent } from '@passepartout/core'

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
interface Attribute {
  key: string
  value: { stringValue: string } | { intValue: string }
}

/** A span in OTLP's JSON; times are nanoseconds since 1970, as text. */
export interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  /** 1 for what happens inside, 3 for a question to somebody else. */
  kind: 1 | 3
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  events: { timeUnixNano: string; name: string; attributes: Attribute[] }[]
  status: { code: 0 | 2 }
}

/** The conventions that the names are from. */
export const schemaUrl = 'https://opentelemetry.io/schemas/1.41.0'

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

function collectSpans(
  finished: (span: Span) => void,
  options: TelemetryOptions,
): (event: TraceEvent) => void {
  const open = new Map<string, Span>()
  const roots = new Map<string, string>()
  return (event) => {
    const { id, cause, record, signal, time } = event
    if (!roots.has(id)) remember(roots, id, (cause && roots.get(cause)) ?? cause ?? id)
    const span = open.get(id) ?? openSpan(event, roots.get(id) ?? id)
    remember(open, id, span)
    span.events.push(...eventsOf(event))
    for (const below of spansBelow(event, span, options)) finished(below)
    if (options.content !== null && record.kind === 'input' && record.text !== undefined)
      span.attributes.push(...said('input', 'user', options.content(record.text)))
    span.endTimeUnixNano = nanos(time)
    if (record.kind === 'error') span.status.code = 2
    if (record.kind !== 'done') return
    span.attributes.push(...attributesOf({ depth: signal.depth }))
    open.delete(id)
    finished(span)
  }
}

function openSpan({ id, cause, signal, time }: TraceEvent, root: string): Span {
  const { source, origin, sessionId } = signal.meta
  const sensor = signal.payload.sensor ?? signal.type
  const isTurn = sensor === 'user-input' || sensor === 'chat-message'
  const agent = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'passepartout',
    'gen_ai.conversation.id': sessionId === undefined ? '' : idOf(sessionId, 32),
  }
  return {
    traceId: idOf(root, 32),
    spanId: idOf(id, 16),
    ...(cause === undefined ? {} : { parentSpanId: idOf(cause, 16) }),
    name: isTurn ? 'invoke_agent passepartout' : sensor,
    kind: 1,
    startTimeUnixNano: nanos(time),
    endTimeUnixNano: nanos(time),
    attributes: attributesOf({ id, sensor, source, origin, ...(isTurn ? agent : {}) }),
    events: [],
    status: { code: 0 },
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value)
  if (map.size > openMax) map.delete(map.keys().next().value!)
}

/** What is known of a model that is called by this name. */
interface NamedModel {
  provider: string
  model: string
}

/** What goes with the spans. */
interface TelemetryOptions {
  /** By the names under which the trace has them. */
  models: ReadonlyMap<string, NamedModel>
  /** Masks words that are to be sent; null sends none. */
  content: ((text: string) => string) | null
}

const wellKnown: Record<string, string> = {
  google: 'gcp.gemini',
  'openai-compatible': 'openai_compatible',
}

function spansBelow(event: TraceEvent, parent: Span, options: TelemetryOptions): Span[] {
  const { kind } = event.record
  if (kind === 'proposal') return chatSpans(event, parent, options)
  return kind === 'outcome' ? toolSpans(event, parent) : []
}

function below(parent: Span, name: string, ended: number, ms: number, at: number): Span {
  return {
    traceId: parent.traceId,
    spanId: idOf(`${parent.spanId} ${name} ${ended} ${at}`, 16),
    parentSpanId: parent.spanId,
    name,
    kind: 1,
    startTimeUnixNano: nanos(ended - ms),
    endTimeUnixNano: nanos(ended),
    attributes: [],
    events: [],
    status: { code: 0 },
  }
}

function chatSpans({ record, time }: TraceEvent, parent: Span, options: TelemetryOptions): Span[] {
  const { fields = {}, text } = record
  const spans: Span[] = []
  let ended = time
  for (const [at, asked] of String(fields.asked ?? '')
    .split('; ')
    .entries()
    .toArray()
    .reverse()) {
    const [, name = '', outcome = '', ms = '0'] = /^(.*) (\S+) (\d+) ms$/.exec(asked) ?? []
    const known = options.models.get(name)
    if (known === undefined || outcome === 'skipped') continue
    const isAnswer = outcome === 'answered'
    const span = below(parent, `chat ${known.model}`, ended, Number(ms), at)
    const words =
      isAnswer && options.content !== null && text !== undefined ? options.content(text) : null
    span.kind = 3
    span.status.code = isAnswer ? 0 : 2
    span.attributes = attributesOf({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': wellKnown[known.provider] ?? known.provider,
      'gen_ai.request.model': known.model,
      'gen_ai.usage.input_tokens': isAnswer ? fields['input-tokens'] : undefined,
      'gen_ai.usage.output_tokens': isAnswer ? fields['output-tokens'] : undefined,
      'error.type': isAnswer ? undefined : outcome,
    })
    if (words !== null) span.attributes.push(...said('output', 'assistant', words))
    spans.unshift(span)
    ended -= Number(ms)
  }
  return spans
}

function toolSpans({ record, time }: TraceEvent, parent: Span): Span[] {
  const { ms, status, target, tool } = record.fields ?? {}
  const name = String(tool ?? (target === 'shell' ? 'shell' : '')).slice(0, 100)
  if (name === '') return []
  const span = below(parent, `execute_tool ${name}`, time, Number(ms) || 0, 0)
  span.status.code = status === 'error' ? 2 : 0
  span.attributes = attributesOf({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'function',
    'error.type': status === 'error' ? 'tool_error' : undefined,
  })
  return [span]
}

const saidMax = 8_000

function said(which: 'input' | 'output', role: string, text: string): Attribute[] {
  const parts = [{ type: 'text', content: text.slice(0, saidMax).toWellFormed() }]
  const message = which === 'output' ? { role, parts, finish_reason: 'stop' } : { role, parts }
  return [{ key: `gen_ai.${which}.messages`, value: { stringValue: JSON.stringify([message]) } }]
}

const waitingMax = 2_000
const sendMs = 5_000

/** Sends the spans of this runtime's trace; returns how to stop, after a last try. */
export function startTelemetry(
  runtime: Runtime,
  url: URL,
  options: TelemetryOptions = { models: new Map(), content: null },
): () => Promise<void> {
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
    }, options),
  )
  return async () => {
    leave()
    await sending
  }
}

async function post(url: URL, spans: Span[]): Promise<string | null> {
  const resource = { attributes: attributesOf({ 'service.name': 'passepartout' }) }
  const scopeSpans = [{ scope: { name: 'passepartout' }, spans, schemaUrl }]
  const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans, schemaUrl }] })
  const headers = { 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(sendMs)
  try {
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
    await response.body?.cancel()
    return response.ok ? null : `the collector said ${response.status}`
  } catch (error) {
    return messageOf(error)
  }
}
