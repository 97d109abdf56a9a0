import { chmodSync, rmSync } from 'node:fs'
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { Runtime, TraceEvent } from '@passepartout/core'

/** A figure with its labels. */
interface Sample {
  labels: Readonly<Record<string, string>>
  value: number
}

/** A family of figures. The name of a counter ends in `_total`. */
export interface Metric {
  name: string
  help: string
  type: 'counter' | 'gauge'
  samples: readonly Sample[]
}

const escaped = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

/** The figures as text; `isOpen` for OpenMetrics 1.0, else Prometheus 0.0.4. */
export function metricsText(metrics: readonly Metric[], isOpen: boolean): string {
  const families = metrics.map(({ help, name, samples, type }) => {
    const family = isOpen && type === 'counter' ? name.replace(/_total$/, '') : name
    const lines = samples.map(({ labels, value }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
      return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
    })
    return `# HELP ${family} ${help}\n# TYPE ${family} ${type}\n${lines.join('')}`
  })
  return families.join('') + (isOpen ? '# EOF\n' : '')
}

const setsMax = 200

class Counter {
  readonly #sets = new Map<string, Sample>()

  add(labels: Record<string, string>, value = 1): void {
    let key = JSON.stringify(labels)
    let named = labels
    if (!this.#sets.has(key) && this.#sets.size >= setsMax) {
      named = Object.fromEntries(Object.keys(labels).map((label) => [label, 'other']))
      key = JSON.stringify(named)
    }
    this.#sets.set(key, { labels: named, value: (this.#sets.get(key)?.value ?? 0) + value })
  }

  samples(): Sample[] {
    return [...this.#sets.values()]
  }
}

const counted = {
  signals: ['passepartout_signals_total', 'Signals that were worked on, by their sensor.'],
  verdicts: ['passepartout_verdicts_total', 'What the gates said.'],
  calls: ['passepartout_provider_calls_total', 'Questions to providers, by how they ended.'],
  seconds: ['passepartout_provider_seconds_total', 'Time spent waiting for providers.'],
  tokens: ['passepartout_provider_tokens_total', 'Tokens that were used, as providers count them.'],
  tools: ['passepartout_tool_calls_total', 'Calls of tools and commands, by how they ended.'],
  errors: ['passepartout_errors_total', 'Turns that ended in a fault of the daemon.'],
} as const

type Counters = Record<keyof typeof counted, Counter>

function createCounters(): Counters {
  const names = Object.keys(counted) as (keyof typeof counted)[]
  return Object.fromEntries(names.map((name) => [name, new Counter()])) as Counters
}

function count(counters: Counters, { record, signal }: TraceEvent): void {
  const { fields = {}, kind, verdicts = [] } = record
  if (kind === 'done') counters.signals.add({ sensor: signal.payload.sensor ?? signal.type })
  if (kind === 'error') counters.errors.add({})
  if (kind === 'proposal') countAsked(counters, fields)
  if (kind === 'verdict' && (fields.stage === 'act' || fields.result === 'reject')) {
    for (const { gate, verdict } of verdicts) counters.verdicts.add({ gate, verdict })
  }
  const { status = '', target = '', tool = target } = fields
  if (kind === 'outcome' && target !== 'cli') {
    counters.tools.add({ tool: String(tool).slice(0, 100), status: String(status) })
  }
}

function countAsked(
  { calls, seconds, tokens }: Counters,
  fields: NonNullable<TraceEvent['record']['fields']>,
): void {
  for (const asked of String(fields.asked ?? '').split('; ')) {
    const [, provider, outcome, ms] = /^(.*) (\S+) (\d+) ms$/.exec(asked) ?? []
    if (provider === undefined || outcome === undefined) continue
    calls.add({ provider, outcome })
    seconds.add({ provider }, Number(ms) / 1_000)
  }
  const provider = String(fields.provider ?? '')
  for (const direction of ['input', 'output'] as const) {
    const used = Number(fields[`${direction}-tokens`] ?? 0)
    if (used > 0) tokens.add({ provider, direction }, used)
  }
}

/** What the runtime does not know of the daemon. */
interface MetricsOptions {
  /** Of the socket. */
  path: string
  /** Turns under way or waiting. */
  turns: () => number
}

function gauges(runtime: Runtime, { turns }: MetricsOptions, begun: number): Metric[] {
  const { rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const one = (name: string, help: string, value: number, type: Metric['type'] = 'gauge') => ({
    name,
    help,
    type,
    samples: [{ labels: {}, value }],
  })
  const objects = [...runtime.store.objects()].length
  return [
    one('passepartout_turns_waiting', 'Turns under way or waiting.', turns()),
    one(
      'passepartout_approvals_waiting',
      'Questions that wait for the owner.',
      runtime.approvals.open().length,
    ),
    one('passepartout_memory_objects', 'Notes and headlines in the memory.', objects),
    one(
      'process_cpu_seconds_total',
      'Processor time of the daemon.',
      (user + system) / 1e6,
      'counter',
    ),
    one('process_resident_memory_bytes', 'Memory of the daemon.', rss),
    one('process_start_time_seconds', 'When the daemon began, since 1970.', begun / 1_000),
  ]
}

const pathMaxBytes = 100

/** Where the socket belongs; null when the path would be too long for one. */
export function metricsSocketPath(stateDir: string): string | null {
  const path = join(stateDir, 'metrics.sock')
  return Buffer.byteLength(path) <= pathMaxBytes ? path : null
}

/** Counts, and serves the figures until it is told to stop. Rejects when the socket cannot be made. */
export async function startMetrics(
  runtime: Runtime,
  options: MetricsOptions,
): Promise<() => Promise<void>> {
  const counters = createCounters()
  const begun = Date.now() - process.uptime() * 1_000
  const leave = runtime.trace.listen((event) => count(counters, event))
  const all = (): Metric[] => [
    ...Object.entries(counted).map(([key, [name, help]]) => {
      const samples = counters[key as keyof Counters].samples()
      return { name, help, type: 'counter' as const, samples }
    }),
    ...gauges(runtime, options, begun),
  ]
  let loading: Promise<HttpServer> | null = null
  const door = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    loading ??= httpServer(all)
    loading.then((http) => http.emit('connection', socket)).catch(() => socket.destroy())
  })
  door.maxConnections = 16
  await listen(door, options.path)
  return async () => {
    leave()
    const closed = new Promise((resolve) => door.close(resolve))
    const http = await loading?.catch(() => null)
    http?.closeAllConnections()
    await closed
    rmSync(options.path, { force: true })
  }
}

async function httpServer(all: () => Metric[]): Promise<HttpServer> {
  const { createServer: create } = await import('node:http')
  return create((request, response) => answer(request, response, all))
}

async function listen(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
}

const types = {
  open: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  plain: 'text/plain; version=0.0.4; charset=utf-8',
}

function answer(request: IncomingMessage, response: ServerResponse, all: () => Metric[]): void {
  const { headers, method, url = '' } = request
  if (url.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
  if (method !== 'GET' && method !== 'HEAD') {
    return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
  }
  const isOpen = (headers.accept ?? '').includes('application/openmetrics-text')
  const text = metricsText(all(), isOpen)
  const type = isOpen ? types.open : types.plain
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(method === 'HEAD' ? undefined : text)
}
