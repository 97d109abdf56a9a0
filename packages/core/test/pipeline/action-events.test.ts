import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { actionDigest } from '../../src/approval/approvals.ts'
import type { Action, Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { act } from '../../src/pipeline/act.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import { readDeed } from '../../src/wire/session-state.ts'

const given: Signal = {
  type: 'event',
  meta: { source: 'acp', sessionId: 's', turn: 'first', takesDeeds: true },
  payload: { sensor: 'user-input', text: 'x' },
  depth: 0,
}
const call: Action = {
  type: 'request',
  target: 'box',
  payload: { action: 'call', tool: 'tidy', args: { 'a b': 1 }, explanation: 'You asked.' },
}

function setting(status = 'success') {
  const dir = mkdtempSync(join(tmpdir(), 'deeds-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'a.org'), '* One\n* Two\n')
  const told: Signal[] = []
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const reply = (signal: Signal) => void told.push(signal)
  const runtime = createRuntime({ config, memex: openMemex(dir), reply })
  ingestMemex(runtime)
  runtime.actuators.set('box', {
    name: 'box',
    silent: false,
    async dispatch(_, signal, { memex }) {
      if (status === 'throws') throw new Error('no box')
      memex.patch('a.org', '* One\n* Two\n', [{ begin: 2, end: 5, text: 'Uno' }])
      memex.create('b.org', '* New\n')
      return { ...signal, payload: { sensor: 'tool-output', status, text: 'y'.repeat(9_000) } }
    },
  })
  return { runtime, told }
}

test('a deed is told twice, with what it changed', async () => {
  const { runtime, told } = setting()
  await act(runtime, given, call)
  const [begun, done] = told.map(({ payload }) => readDeed(payload))
  expect(told.map(({ meta }) => meta.turn)).toEqual(['first', 'first'])
  expect(begun).toMatchObject({ state: 'begun', tool: 'tidy', args: '{"a b":1}', target: 'box' })
  expect(begun).toMatchObject({ digest: actionDigest(call), files: [], diff: null })
  expect(done).toMatchObject({ id: begun!.id, digest: begun!.digest, state: 'done' })
  expect(done!.files).toEqual(['a.org', 'b.org'])
  expect(done!.diff).toContain('-* One\n+* Uno\n * Two')
  expect(done!.diff).toContain('--- b.org\n+++ b.org')
  expect(done!.output!.length).toBeLessThan(5_000)
})

test('a failure is told, and nobody hears who did not ask or may not', async () => {
  const failing = setting('error')
  await act(failing.runtime, given, call)
  expect(failing.told.map(({ payload }) => payload.state)).toEqual(['begun', 'failed'])
  const throwing = setting('throws')
  await expect(act(throwing.runtime, given, call)).rejects.toThrow('no box')
  expect(throwing.told.map(({ payload }) => payload.state)).toEqual(['begun', 'failed'])
  for (const meta of [{ takesDeeds: undefined }, { isUnproven: true as const }]) {
    const quiet = setting()
    await act(quiet.runtime, { ...given, meta: { ...given.meta, ...meta } }, call)
    expect(quiet.told).toEqual([])
  }
  expect(readDeed({ action: 'deed', id: 'x', digest: 'y', state: 'done' })).toBeNull()
})
