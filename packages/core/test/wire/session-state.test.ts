import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Action, Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { decodeSignal, encodeSignal } from '../../src/wire/envelope.ts'
import {
  openQuestions,
  questionIn,
  readQuestions,
  sessionFacts,
} from '../../src/wire/session-state.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'tui', sessionId: 's', origin: 'owner' },
  payload: { sensor: 'user-input', text: 'x' },
  depth: 0,
}

function made() {
  const dir = mkdtempSync(join(tmpdir(), 'facts-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  return createRuntime({ config, memex: openMemex(dir) })
}

test('what a session has spent is told to it', () => {
  const runtime = made()
  const usage = { inputTokens: 9, outputTokens: 2, cachedTokens: 6, cost: 0.25 }
  runtime.usage.note('s', 'Claude', usage)
  runtime.usage.note('s', null, null)
  runtime.usage.note('s', 'rules', { inputTokens: 1, outputTokens: 1 })
  runtime.usage.note(undefined, 'Claude', null)
  const spent = { inputTokens: 10, outputTokens: 3, cachedTokens: 6, cost: 0.25 }
  const facts = { scope: 'memex', waiting: 0 }
  expect(sessionFacts(runtime, 's')).toEqual({ provider: 'rules', ...spent, ...facts })
  const none = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0 }
  expect(sessionFacts(runtime, 't')).toEqual({ ...none, ...facts })
})

test('a question travels with everything it holds', () => {
  const runtime = made()
  const args = { 'a b': [1, null], X: { y: '\u202e' } }
  const action: Action = {
    type: 'request',
    target: 'tool',
    payload: { action: 'call', tool: 'write-note', args, explanation: 'y'.repeat(9_000) },
  }
  const askers = [{ gate: 'g', reason: 'sure?' }]
  const { token } = runtime.approvals.ask(action, signal, 'sure?', { askers, preview: '+ x' })
  const payload = { action: 'approvals', ...openQuestions(runtime) }
  const sent = decodeSignal(encodeSignal({ ...signal, payload }))
  const question = {
    token,
    target: 'tool',
    tool: 'write-note',
    preview: '+ x',
    askers,
    source: 'tui',
  }
  const told = {
    ...question,
    args: JSON.stringify(args),
    explanation: expect.stringMatching(/^y{4000}…/),
  }
  expect(sent).toMatchObject({ ok: true, value: { payload: { questions: [told] } } })
  expect(questionIn(runtime, `Say “approve ${token}” or not`)).toMatchObject({ question })
  expect(questionIn(runtime, 'Say “approve aaaaaa” or not')).toEqual({})
  const payloadBack = sent.ok ? sent.value.payload.questions : null
  expect(readQuestions(payloadBack)).toMatchObject([{ ...told, offers: [] }])
  expect(readQuestions([{ token: '../../x' }, null, 3])).toEqual([])
})

test('a hundred long questions fit into a message', () => {
  const runtime = made()
  for (let count = 0; count < 100; count++) {
    const payload = { action: 'execute', cmd: `${'x'.repeat(9_000)}${count}` }
    const action: Action = { type: 'request', target: 'shell', payload }
    runtime.approvals.ask(action, signal, 'sure?', { preview: 'y'.repeat(30_000) })
  }
  const payload = openQuestions(runtime)
  expect(encodeSignal({ ...signal, payload }).length).toBeLessThan(1_000_000)
})
