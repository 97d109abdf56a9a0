import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, openMemex, type Runtime, type Signal } from '@passepartout/core'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Metric,
  metricsSocketPath,
  metricsText,
  startMetrics,
} from '../../src/telemetry/metrics.ts'

const linePattern = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? (\S+)$/

function readText(text: string): [string, Record<string, string>, number][] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line) => {
      const [, name = '', pairs = '', value = ''] = linePattern.exec(line) ?? []
      if (name === '') throw new Error(`not a figure: ${line}`)
      const labels = [...pairs.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(
        ([, label, text]) => [
          label!,
          text!.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
        ],
      )
      return [name, Object.fromEntries(labels), Number(value)]
    })
}

test('what is written is read back', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\r', 'n', '}', ',', '=', 'é', '\u2028'),
  })
  const value = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  const sample = fc.record({
    labels: fc.record({ a: hostile, b: hostile }),
    value,
  })
  fc.assert(
    fc.property(fc.array(sample), fc.boolean(), (samples, isOpen) => {
      const metric: Metric = { name: 'x_total', help: 'X.', type: 'counter', samples }
      const text = metricsText([metric], isOpen)
      const wanted = samples.map(({ labels, value }) => [
        'x_total',
        { ...labels },
        value === 0 ? 0 : value,
      ])
      const noZero = readText(text).map(([name, labels, value]) => [
        name,
        labels,
        value === 0 ? 0 : value,
      ])
      expect(noZero).toEqual(wanted)
      expect(text.endsWith('# EOF\n')).toBe(isOpen)
      expect(text).toContain(isOpen ? '# TYPE x counter' : '# TYPE x_total counter')
    }),
  )
})

async function get(socketPath: string, path = '/metrics', headers = {}, method = 'GET') {
  const sent = request({ socketPath, path, headers, method }).end()
  const [response] = await once(sent, 'response')
  let body = ''
  for await (const piece of response) body += piece
  return { status: response.statusCode, type: response.headers['content-type'], body }
}

async function setting(): Promise<{ runtime: Runtime; path: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'metrics-'))
  const runtime = createRuntime({
    config: { home: dir, memexDir: dir, stateDir: dir },
    memex: openMemex(dir),
  })
  runtime.store.ingestFile('a.org', '* One\n* Two\n')
  const path = metricsSocketPath(dir)!
  const stop = await startMetrics(runtime, { path, turns: () => 3 })
  onTestFinished(async () => {
    await stop()
    expect(() => statSync(path)).toThrow('ENOENT')
    rmSync(dir, { recursive: true })
  })
  return { runtime, path }
}

const heard = (sensor: string): Signal => ({
  type: 'event',
  meta: { source: 'cli', origin: 'owner' },
  payload: { sensor, text: 'dear diary' },
  depth: 0,
})

test('a turn is counted, and read over a socket that only its owner can open', async () => {
  const { path, runtime } = await setting()
  runtime.trace.begin(heard('user-input'))
  const asked = 'The big one failed 500 ms; Small answered 1000 ms'
  const fields = { provider: 'Small', asked, 'input-tokens': 9, 'output-tokens': 2 }
  runtime.trace.record({ kind: 'proposal', fields, text: 'dear diary' })
  const verdicts = [{ gate: 'policy', verdict: 'pass', rule: '', micros: 1, reason: 'diary' }]
  runtime.trace.record({ kind: 'verdict', fields: { stage: 'reason', result: 'pass' }, verdicts })
  runtime.trace.record({ kind: 'verdict', fields: { stage: 'act', result: 'pass' }, verdicts })
  runtime.trace.record({
    kind: 'outcome',
    fields: { status: 'success', target: 'tool', tool: 'agenda' },
  })
  runtime.trace.end()
  const { body, status, type } = await get(path)
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(readText(body)).toEqual(
    expect.arrayContaining([
      ['passepartout_signals_total', { sensor: 'user-input' }, 1],
      ['passepartout_verdicts_total', { gate: 'policy', verdict: 'pass' }, 1],
      ['passepartout_provider_calls_total', { provider: 'The big one', outcome: 'failed' }, 1],
      ['passepartout_provider_seconds_total', { provider: 'Small' }, 1],
      ['passepartout_provider_tokens_total', { provider: 'Small', direction: 'input' }, 9],
      ['passepartout_tool_calls_total', { tool: 'agenda', status: 'success' }, 1],
      ['passepartout_turns_waiting', {}, 3],
      ['passepartout_approvals_waiting', {}, 0],
      ['passepartout_memory_objects', {}, 3],
    ]),
  )
  expect(body).not.toContain('diary')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const open = await get(path, '/metrics', {
    accept: 'application/openmetrics-text; version=1.0.0',
  })
  expect(open.type).toMatch(/^application\/openmetrics-text/)
  expect(open.body.endsWith('# EOF\n')).toBe(true)
  expect((await get(path, '/')).status).toBe(404)
  expect((await get(path, '/metrics', {}, 'POST')).status).toBe(405)
})

test('names without end do not fill the memory', async () => {
  const { path, runtime } = await setting()
  for (let at = 0; at < 500; at++) {
    runtime.trace.begin(heard(`sensor-${at}`))
    runtime.trace.end()
  }
  const lines = readText((await get(path)).body).filter(
    ([name]) => name === 'passepartout_signals_total',
  )
  expect(lines.length).toBe(201)
  expect(lines.at(-1)).toEqual(['passepartout_signals_total', { sensor: 'other' }, 300])
})
