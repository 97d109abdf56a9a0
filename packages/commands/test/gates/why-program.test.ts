import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTrace } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { why } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

test('the program explains without a daemon', async () => {
  const state = mkdtempSync(join(tmpdir(), 'why-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
  const env = { HOME: state, XDG_STATE_HOME: state }
  const run = (...words: string[]) => told(why, words, { env })
  expect(await run()).toMatchObject({
    code: 1,
    text: expect.stringContaining('no such decision'),
  })
  const dir = join(state, 'passepartout/trace')
  const trace = openTrace({ dir, clock: { now: () => new Date(2026, 10, 22, 9) } })
  const meta = { source: 'cli', sessionId: 's', origin: 'owner' } as const
  const payload = { sensor: 'user-input', text: 'Tidy up' }
  const id = trace.begin({ type: 'event', meta, payload, depth: 0 })
  const action = { type: 'request', target: 'shell', payload: { cmd: 'rm -rf ~' } } as const
  const verdict = { kind: 'reject', reason: 'It removes all.', rule: 'shell.tree' } as const
  trace.record({ kind: 'proposal', fields: { provider: 'model' }, text: JSON.stringify(action) })
  trace.record({
    kind: 'verdict',
    fields: { result: 'reject' },
    text: JSON.stringify(action),
    verdicts: [
      {
        gate: 'dispatcher',
        verdict: verdict.kind,
        rule: verdict.rule,
        micros: 1,
        reason: verdict.reason,
      },
    ],
  })
  trace.end()
  await trace.flush()
  expect((await run()).text).toContain('dispatcher (shell.tree): It removes all.')
  expect(JSON.parse((await run(id, '--json')).text)).toMatchObject([{ id, complete: true }])
  expect((await run('--nonsense')).code).toBe(2)
})
