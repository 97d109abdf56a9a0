import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTrace, type Signal, type Trace } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { explain, turnOf } from '../../src/notes/explain.ts'

function setting(): { dir: string; state: string; trace: Trace } {
  const state = mkdtempSync(join(tmpdir(), 'why-'))
  onTestFinished(() => rmSync(state, { recursive: true }))
  const dir = join(state, 'passepartout/trace')
  const clock = { now: () => new Date(2026, 10, 21, 14, 3, 22, 123) }
  return { dir, state, trace: openTrace({ dir, clock }) }
}

function heard(text: string, sensor = 'user-input'): Signal {
  return {
    type: 'event',
    meta: { source: 'cli', origin: 'owner' },
    payload: { sensor, text },
    depth: 0,
  }
}

const remove =
  '{"type":"request","target":"shell","payload":{"action":"execute","cmd":"rm -rf /","explanation":"Tidy up."}}'
const refused = {
  kind: 'verdict',
  fields: { stage: 'reason', result: 'reject', target: 'shell' },
  text: remove,
  verdicts: [
    { gate: 'policy', verdict: 'pass', rule: '', micros: 3, reason: '' },
    {
      gate: 'dispatcher',
      verdict: 'reject',
      rule: 'shell.tree',
      micros: 90,
      reason: 'It removes all.',
    },
  ],
}

test('a refusal is told with the gate and the rule', async () => {
  const { dir, trace } = setting()
  const id = trace.begin(heard('Tidy up'))
  trace.record({ kind: 'proposal', fields: { provider: 'model' }, text: 'rm!' })
  trace.record(refused)
  trace.record({ kind: 'outcome', fields: { target: 'cli', status: 'success' } })
  trace.end()
  await trace.flush()
  expect(explain(turnOf(dir)).split('\n')).toEqual([
    `2026-11-21 14:03:22: user-input from cli, words of the owner (${id})`,
    '  Said: Tidy up',
    '  model proposed: rm!',
    '  shell execute: rm -rf / — “Tidy up.” — was refused.',
    '  dispatcher (shell.tree): It removes all.',
    '  No objection: policy.',
    '  The answer was given.',
  ])
})

test('what led to an entry is told with it', async () => {
  const { dir, trace } = setting()
  const asked = { kind: 'approval', fields: { state: 'asked', digest: 'd' } }
  const first = trace.begin(heard('What changed?'))
  trace.end()
  const second = trace.begin(heard('a.org', 'tool-output'), first)
  trace.record(asked)
  trace.end()
  const third = trace.begin(heard('approve kjhgfd'))
  trace.record({ ...asked, fields: { state: 'given', digest: 'd' } })
  await trace.flush()
  expect(turnOf(dir).map(({ id }) => id)).toEqual([first, second, third])
  const story = explain(turnOf(dir))
  expect(story).toMatch(/What changed\?.*asked.*approved.*not finished/s)
  expect(turnOf(dir, first)).toHaveLength(1)
})

test('a deed that was cut off is told', async () => {
  const { dir, trace } = setting()
  trace.begin(heard('x'))
  trace.record({ kind: 'intent', text: remove })
  trace.record({ kind: 'verdict', fields: { result: 'pass' }, text: remove })
  await trace.flush()
  expect(explain(turnOf(dir))).toContain('It was about to do this: shell execute: rm -rf /')
})

test('a proposal cannot drive the terminal', async () => {
  const { dir, trace } = setting()
  trace.begin(heard('x'))
  trace.record({ kind: 'proposal', fields: { provider: 'm' }, text: '\u001b[2J\u202egnp\u009b1m' })
  trace.record(refused)
  await trace.flush()
  expect(explain(turnOf(dir))).toContain('m proposed: ␛[2Jgnp\ufffd1m')
})
