import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import {
  commandName,
  findInstance,
  printable,
  stateDirectory,
  whyNoDaemon,
} from '@passepartout/core/presence'
import { type Answer, type Environment, ProgramError } from '#commands/program'

/** A figure with its labels. */
export interface Figure {
  name: string
  labels: Record<string, string>
  value: number
}

/** The figures in a text of Prometheus's format 0.0.4. */
export function readFigures(text: string): Figure[] {
  return text.split('\n').flatMap((line) => {
    const [, name, pairs = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    const labels = [...pairs.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, label = '', text = '']) =>
        [label, text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))] as const,
    )
    return [{ name, labels: Object.fromEntries(labels), value: Number(value) }]
  })
}

/** Asks a daemon for its figures. Rejects when none answers. */
export async function fetchFigures(stateDir: string): Promise<Figure[]> {
  const socketPath = join(stateDir, 'metrics.sock')
  const sent = request({ socketPath, path: '/metrics', timeout: 5_000 }).end()
  sent.on('timeout', () => sent.destroy(new Error('it does not answer')))
  try {
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    let text = ''
    for await (const piece of response.setEncoding('utf8')) text += piece
    return readFigures(text)
  } catch {
    const isThere = findInstance(stateDir) !== null
    throw new ProgramError(
      isThere
        ? `The daemon does not tell its figures. Look: ${commandName} status`
        : whyNoDaemon(stateDir),
    )
  }
}

/** The figures at one moment, in milliseconds since 1970. */
export interface Look {
  at: number
  figures: readonly Figure[]
}

function valueIn({ figures }: Look, name: string): number {
  return figures.find((figure) => figure.name === `passepartout_${name}`)?.value ?? 0
}

function sumsBy({ figures }: Look, name: string, label: string): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { labels, name: own, value } of figures) {
    if (own !== `passepartout_${name}`) continue
    const key = printable(labels[label] ?? '')
    sums.set(key, (sums.get(key) ?? 0) + value)
  }
  return sums
}

function processLine(now: Look, before: Look | null): string {
  const figure = (look: Look, name: string) =>
    look.figures.find((each) => each.name === `process_${name}`)?.value ?? 0
  const up = Math.max(0, now.at / 1_000 - figure(now, 'start_time_seconds'))
  const memory = Math.round(figure(now, 'resident_memory_bytes') / 1_000_000)
  const cpu = figure(now, 'cpu_seconds_total')
  const seconds = before === null ? up : (now.at - before.at) / 1_000
  const used = before === null ? cpu : cpu - figure(before, 'cpu_seconds_total')
  const share = seconds <= 0 ? 0 : Math.max(0, (100 * used) / seconds)
  return `up ${clock(up)}   ${memory} MB   ${share.toFixed(1)} % of a processor`
}

function clock(seconds: number): string {
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
  return `${Math.floor(seconds / 3_600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => (row[at] ?? '').length)),
  )
  const line = (row: readonly string[]) =>
    row
      .map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return ['', line(head), ...rows.map(line)]
}

function modelRows(now: Look): string[][] {
  const calls = sumsBy(now, 'provider_calls_total', 'provider')
  const seconds = sumsBy(now, 'provider_seconds_total', 'provider')
  const tokens = sumsBy(now, 'provider_tokens_total', 'provider')
  const failed = new Map<string, number>()
  for (const { labels, name, value } of now.figures) {
    const isFault = !/^(?:answered|skipped)$/.test(labels.outcome ?? '')
    if (name !== 'passepartout_provider_calls_total' || !isFault) continue
    const key = printable(labels.provider ?? '')
    failed.set(key, (failed.get(key) ?? 0) + value)
  }
  return [...calls].map(([name, count]) => {
    const average = (seconds.get(name) ?? 0) / Math.max(1, count)
    const numbers = [count, failed.get(name) ?? 0, average.toFixed(2), tokens.get(name) ?? 0]
    return [name, ...numbers.map(String)]
  })
}

function gateRows(now: Look): string[][] {
  const rows = new Map<string, Record<string, number>>()
  for (const { labels, name, value } of now.figures) {
    if (name !== 'passepartout_verdicts_total' || labels.verdict === 'pass') continue
    const key = printable(labels.gate ?? '')
    const row = rows.get(key) ?? {}
    row[labels.verdict ?? ''] = (row[labels.verdict ?? ''] ?? 0) + value
    rows.set(key, row)
  }
  return [...rows].map(([gate, { approval = 0, change = 0, reject = 0 }]) => [
    gate,
    ...[reject, approval, change].map(String),
  ])
}

/** The screen, without colours. */
export function topText(now: Look, before: Look | null): string {
  const waiting = `${valueIn(now, 'turns_waiting')} turns, ${valueIn(now, 'approvals_waiting')} questions to you`
  const signals = [...sumsBy(now, 'signals_total', 'sensor')].map(([name, count]) => [
    name,
    String(count),
  ])
  const tools = [...sumsBy(now, 'tool_calls_total', 'tool')].map(([name, count]) => [
    name,
    String(count),
  ])
  return [
    `passepartout   ${processLine(now, before)}`,
    `waiting: ${waiting}   memory: ${valueIn(now, 'memory_objects')} notes and headings`,
    ...table(['model', 'calls', 'failed', 's each', 'tokens'], modelRows(now)),
    ...table(['gate', 'refused', 'asked', 'changed'], gateRows(now)),
    ...table(['tool', 'calls'], tools),
    ...table(['signal', 'count'], signals),
  ].join('\n')
}

async function follow(stateDir: string): Promise<void> {
  const [{ render, Text }, { createElement }] = await Promise.all([import('ink'), import('react')])
  let before: Look | null = null
  const look = async () => {
    const now = { at: Date.now(), figures: await fetchFigures(stateDir) }
    const text = `${topText(now, before)}\n\nq ends it`
    before = now
    return createElement(Text, null, text)
  }
  const screen = render(await look(), { alternateScreen: true, exitOnCtrlC: true })
  const end = Promise.withResolvers<void>()
  const onKey = (keys: Buffer) => {
    if (/[qQ\x03\x1b]/.test(keys.toString())) end.resolve()
  }
  process.stdin.setRawMode(true).on('data', onKey)
  const timer = setInterval(() => {
    look().then((element) => screen.rerender(element), end.reject)
  }, 2_000)
  try {
    await end.promise
  } finally {
    clearInterval(timer)
    process.stdin.off('data', onKey).setRawMode(false).pause()
    screen.unmount()
  }
}

/** Shows what the daemon is doing: once into a pipe or as JSON, else until it is ended. */
export async function top(
  env: Environment,
  { json, once: isOnce }: { json: boolean; once: boolean },
): Promise<Answer> {
  const stateDir = stateDirectory(env)
  const isScreen = process.stdout.isTTY && process.stdin.isTTY && !isOnce && !json
  if (isScreen) {
    await follow(stateDir)
    return { text: '' }
  }
  const figures = await fetchFigures(stateDir)
  return { text: topText({ at: Date.now(), figures }, null), data: figures }
}
