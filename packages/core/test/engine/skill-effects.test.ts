import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Verdict } from '../../src/contract/gate.ts'
import type { Signal } from '../../src/contract/signal.ts'
import { causeOf, effectsOf } from '../../src/engine/skill-effects.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', origin: 'owner' },
  payload: { sensor: 'user-input', text: 'x' },
  depth: 0,
}

function house(verdict: Verdict, readOnly = false) {
  const dir = mkdtempSync(join(tmpdir(), 'effects-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  const seen: Signal[] = []
  const run = async () => ({ status: 'success' as const, content: 'done' })
  runtime.tools.set('look', {
    name: 'look',
    description: '',
    parameters: z.object({}),
    readOnly,
    run,
  })
  runtime.gates.push({
    name: 'told',
    priority: 1,
    check(_, context) {
      seen.push(context.signal)
      return verdict
    },
  })
  runtime.actuators.set('tool', {
    name: 'tool',
    silent: false,
    async dispatch(_, cause) {
      const payload = { sensor: 'tool-output', status: 'success', text: 'done' }
      return { ...cause, payload }
    },
  })
  return { runtime, seen }
}

const owners = { name: 'mine', capabilities: ['call:look'], isOwners: true }
const abort = new AbortController().signal

test.each([
  ['passes', { kind: 'pass' }, true, 'done', 2],
  ['is rejected', { kind: 'reject', reason: 'never' }, false, 'told: never', 1],
  ['is to be asked', { kind: 'approval', reason: 'hm' }, false, 'waits for the owner', 2],
] as const)('a request that %s', async (_, verdict, ok, text, times) => {
  const { runtime, seen } = house(verdict)
  const result = await effectsOf(runtime, owners, signal, abort)('look', {})
  expect([result.ok, result.text]).toEqual([ok, expect.stringContaining(text)])
  expect(seen).toHaveLength(times)
  expect(seen[0]).toMatchObject({ meta: { origin: 'tool' }, depth: 1 })
  expect(runtime.approvals.open()).toHaveLength(verdict.kind === 'approval' ? 1 : 0)
})

test('what was not granted is not judged', async () => {
  const { runtime, seen } = house({ kind: 'pass' })
  const ask = effectsOf(runtime, { ...owners, capabilities: ['tools', 'call:gone'] }, signal, abort)
  expect(await ask('look', {})).toEqual({ ok: false, text: 'call:look was not granted to mine' })
  expect(await ask('gone', {})).toEqual({ ok: false, text: 'There is no tool gone' })
  const deep = effectsOf(runtime, owners, { ...signal, depth: 10 }, abort)
  expect(await deep('look', {})).toMatchObject({ ok: false, text: 'There were 10 steps already' })
  expect(seen).toEqual([])
})

test('a skill from elsewhere is a stranger who wrote', () => {
  expect(causeOf({ ...owners, isOwners: false }, signal).meta.origin).toBe('message')
  const web: Signal = { ...signal, meta: { ...signal.meta, origin: 'web' } }
  expect(causeOf(owners, web).meta.origin).toBe('web')
})

test.each([
  [true, { ok: true, text: 'done' }],
  [false, { ok: false, text: 'A heartbeat only looks' }],
])('a heartbeat only looks: %s', async (readOnly, expected) => {
  const { runtime } = house({ kind: 'pass' }, readOnly)
  const beat: Signal = { ...signal, payload: { sensor: 'heartbeat' } }
  expect(await effectsOf(runtime, owners, beat, abort)('look', {})).toEqual(expected)
})
