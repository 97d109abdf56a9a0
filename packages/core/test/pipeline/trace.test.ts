import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { messageAction, type Signal } from '../../src/contract/signal.ts'
import {
  formatRecord,
  openTrace,
  promptRecord,
  type TraceOptions,
  verdictRecord,
} from '../../src/pipeline/trace.ts'

const heard: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's', origin: 'owner' },
  payload: { sensor: 'user-input', text: 'What is next?' },
  depth: 0,
}

function setting(options: Partial<TraceOptions> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'trace-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const clock = { now: () => new Date(2026, 10, 21, 14, 3, 22, 123) }
  const trace = openTrace({ dir: join(dir, 'trace'), clock, ...options })
  const file = join(dir, 'trace/2026-11-21.org')
  return { trace, file, text: () => readFileSync(file, 'utf8') }
}

test('nothing in a record can become part of the journal', () => {
  const verdicts = [
    { gate: 'a', verdict: 'reject', rule: 'x.y', micros: 12, reason: 'no | yes\n* Allowed' },
  ]
  const fields = { source: 'cli\n:END:\n* Forged', empty: undefined }
  const text = '* Forged\n#+end_example\n:END:'
  expect(formatRecord({ kind: 'a b\n* c', fields, text, verdicts }).split('\n')).toEqual([
    '** a-b-c',
    ':PROPERTIES:',
    ':SOURCE: cli ⏎ :END: ⏎ * Forged',
    ':END:',
    '#+begin_example',
    ',* Forged',
    ',#+end_example',
    '\u200b:END:',
    '#+end_example',
    '| gate | verdict | rule | µs | reason |',
    '|-',
    '| a | reject | x.y | 12 | no \\vert{} yes ⏎ * Allowed |',
    '',
  ])
})

test('a signal leaves an entry', async () => {
  const { trace, file, text } = setting()
  const id = trace.begin(heard)
  trace.record(promptRecord('You are', 'What is next?'))
  const result = { kind: 'pass', action: messageAction('Beans'), records: [] } as const
  trace.record(verdictRecord('act', result.action, { ...result, records: [] }, 0.5))
  trace.end()
  trace.record({ kind: 'lost' })
  await trace.flush()
  expect(id).toBe('20261121T140322123-1')
  expect(text()).toContain('#+title: Thoughts of 2026-11-21\n')
  expect(text()).toContain(`* 14:03:22 user-input from cli\n:PROPERTIES:\n:ID: ${id}\n`)
  expect(text().match(/^\*\* \w+/gm)).toEqual(['** input', '** prompt', '** verdict', '** done'])
  expect(text()).not.toContain('You are')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.each([
  ['masks', (text: string) => text.replaceAll('sesame', '…')],
  ['fails', () => Promise.reject(new Error('no rules'))],
])('a mask that %s lets no secret through', async (_, mask) => {
  const { trace, text } = setting({ mask })
  trace.begin({ ...heard, payload: { sensor: 'user-input', text: 'say sesame' } })
  const verdicts = [{ gate: 'g', verdict: 'reject', rule: '', micros: 0, reason: 'has sesame' }]
  trace.record({ kind: 'x', fields: { why: 'sesame' }, text: '{"a":"sesame"}', verdicts })
  trace.end()
  await trace.flush()
  expect(text()).toContain('** x')
  expect(text()).not.toContain('sesame')
})

test('the word of an approval and the words of a tool are not copied', async () => {
  const { trace, text } = setting()
  trace.begin({ ...heard, payload: { sensor: 'user-input', text: ' Approve kjhgfd' } })
  trace.begin({ ...heard, payload: { sensor: 'tool-output', text: 'dear diary' } })
  trace.end()
  await trace.flush()
  expect(text()).toContain('Approve …')
  expect(text()).not.toMatch(/kjhgfd|diary/)
})

test('a torn file is continued on a line of its own', async () => {
  const { trace, file, text } = setting()
  trace.begin(heard)
  await trace.flush()
  writeFileSync(file, `${text()}** verd`)
  trace.begin(heard)
  await trace.flush()
  expect(text()).toContain('** verd\n* 14:03:22')
})

test('what cannot be written is told to whoever waits', async () => {
  const { trace, file } = setting()
  writeFileSync(join(file, '../../trace'), 'a file in the place of the folder')
  trace.begin(heard)
  await expect(trace.flush()).rejects.toThrow('The trace could not be written: ')
  await trace.flush()
  expect(readdirSync(join(file, '../..'))).toEqual(['trace'])
})

test('listeners hear every record until they leave', async () => {
  const { trace } = setting()
  const kinds: string[] = []
  trace.listen(() => {
    throw new Error('no ears')
  })
  const leave = trace.listen(({ record }) => kinds.push(record.kind))
  trace.begin(heard)
  trace.end()
  leave()
  trace.begin(heard)
  await trace.flush()
  expect(kinds).toEqual(['input', 'done'])
})
