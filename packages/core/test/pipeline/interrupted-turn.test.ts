import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { interruptedText, interruptedTurn } from '../../src/pipeline/interrupted-turn.ts'
import { openTrace } from '../../src/pipeline/trace.ts'

const intent = (tool: string) => ({
  kind: 'intent',
  text: JSON.stringify({ target: 'tool', payload: { action: 'call', tool } }),
})
const asked = { kind: 'approval', fields: { state: 'asked' } }
const outcome = { kind: 'outcome', fields: { status: 'success' } }

async function told(...steps: { kind: string }[][]) {
  const dir = mkdtempSync(join(tmpdir(), 'interrupted-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const trace = openTrace({ dir, clock: { now: () => new Date(2026, 10, 22, 9) } })
  const meta = { source: 'telegram', sessionId: 's', turn: 'book-7' }
  const payload = { sensor: 'chat-message', text: 'x' }
  for (const records of steps) {
    trace.begin({ type: 'event', meta, payload, depth: 0 })
    for (const record of records) trace.record(record)
  }
  trace.begin({ type: 'event', meta: { ...meta, turn: 'book-8' }, payload, depth: 0 })
  trace.record(intent('drop-note'))
  await trace.flush()
  const isReadOnly = (tool: string) => tool.startsWith('show-')
  return interruptedText('“x”', interruptedTurn(dir, 'book-7', isReadOnly))
}

test.each([
  ['never begun', [], 'Nothing was done yet; say it again.'],
  ['waiting for a model', [[]], 'Nothing was done yet; say it again.'],
  ['looking', [[intent('show-note')]], 'Nothing was done yet; say it again.'],
  ['done', [[intent('add-note'), outcome], []], 'Done: add-note. Only the answer was lost.'],
  ['asked about', [[intent('x'), asked]], 'Nothing was done yet; say it again.'],
  [
    'in the middle',
    [[intent('add-note'), outcome], [intent('shell-run')]],
    'Done: add-note. Begun, and perhaps done in part: shell-run. Look before you say it again.',
  ],
])('a turn that was %s', async (_, steps, words) => {
  expect(await told(...steps)).toBe(`I was stopped while I worked on “x”. ${words}`)
})
