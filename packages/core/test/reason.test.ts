import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Gate } from '../src/gate.ts'
import { openMemex } from '../src/memex.ts'
import { reason } from '../src/reason.ts'
import { createRuntime, type Runtime } from '../src/runtime.ts'
import type { Signal } from '../src/signal.ts'
import { defineSkill, loadSkills } from '../src/skill.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's' },
  payload: { sensor: 'user-input', text: 'Tidy up' },
  depth: 0,
}
const abort = new AbortController().signal

function runtimeSaying(answers: string[], traces: (string | undefined)[], gates: Gate[]): Runtime {
  const dir = mkdtempSync(join(tmpdir(), 'reason-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  const provider = {
    name: 'model',
    async *propose(request: { rejectionTrace?: string | undefined }) {
      traces.push(request.rejectionTrace)
      yield { type: 'text' as const, text: answers[traces.length - 1] ?? '' }
    },
  }
  const skill = { name: 'model', description: '', gates, providers: () => [provider] }
  loadSkills(runtime, [defineSkill(skill)])
  return runtime
}

const noRm: Gate = {
  name: 'no-rm',
  priority: 1,
  check: ({ payload }) =>
    payload.text?.includes('rm') ? { kind: 'reject', reason: 'no rm' } : { kind: 'pass' },
}

test('objections go back, and a better proposal passes', async () => {
  const traces: (string | undefined)[] = []
  const runtime = runtimeSaying(['rm', '{"type": "request", "payload": {}}', 'A list.'], traces, [
    noRm,
  ])
  expect(await reason(runtime, signal, abort)).toMatchObject({
    action: { payload: { text: 'A list.' } },
    tries: 3,
  })
  expect(traces).toEqual([undefined, 'no-rm: no rm', expect.stringContaining('payload.action')])
})

test('after three rejections the owner hears why', async () => {
  const traces: (string | undefined)[] = []
  const { action } = await reason(
    runtimeSaying(['rm', 'rm', 'rm', 'fine'], traces, [noRm]),
    signal,
    abort,
  )
  expect(action.payload.text).toBe('I found no way to do this that is allowed.\nno-rm: no rm')
  expect(traces).toHaveLength(3)
})

test('when nobody answers, that is the answer', async () => {
  const { action } = await reason(runtimeSaying([''], [], []), signal, abort)
  expect(action.payload.text).toBe('Nobody could answer.\nmodel said nothing')
})
