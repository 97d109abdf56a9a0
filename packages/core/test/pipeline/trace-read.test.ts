import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { inOneLine } from '../../src/approval/verify.ts'
import type { Signal } from '../../src/contract/signal.ts'
import { formatRecord, openTrace } from '../../src/pipeline/trace.ts'
import { findEntry, readTrace, readTraceDay, traceDays } from '../../src/pipeline/trace-read.ts'

const verdictOfTest = { gate: 'g', verdict: 'pass', rule: '', micros: 0, reason: 'r' }

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'trace-read-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

test('what was written is read', () => {
  const hostile = fc.constantFrom('* a', '#+end_example', ',* b', ':END:', '| c |', '', '  ', 'd')
  const text = fc.array(fc.oneof(hostile, fc.string())).map((lines) => lines.join('\n'))
  const reason = fc.string({ unit: fc.constantFrom('a', '|', ' ', '*', '\n'), minLength: 1 })
  fc.assert(
    fc.property(text, reason, (text, reason) => {
      const verdict = { gate: 'g', verdict: 'pass', rule: '', micros: 3, reason }
      const record = { kind: 'x', fields: { size: text.length }, text, verdicts: [verdict] }
      const [entry] = readTrace(`* 14:03:22 x from cli\n${formatRecord(record)}** done\n`)
      const [read] = entry!.records
      expect(entry!.complete).toBe(true)
      expect(read!.text).toBe(text.replace(/\r\n?/g, '\n'))
      expect(read!.fields.size).toBe(String(text.length))
      expect(read!.verdicts).toEqual([{ ...verdict, reason: inOneLine(reason) }])
    }),
  )
})

const clock = { now: () => new Date(2026, 10, 21, 14, 3, 22, 123) }

function heard(text: string): Signal {
  const payload = { sensor: 'user-input', text }
  return { type: 'event', meta: { source: 'cli', origin: 'owner' }, payload, depth: 1 }
}

test('an entry has its fields and its input', async () => {
  const dir = folder()
  const trace = openTrace({ dir, clock })
  const first = trace.begin(heard('Hello'))
  trace.end()
  trace.begin(heard('* Not a headline'), first)
  await trace.flush()
  const entries = readTraceDay(dir, '2026-11-21')
  expect(entries.map(({ complete }) => complete)).toEqual([true, false])
  expect(entries[1]!.fields).toMatchObject({ sensor: 'user-input', cause: first, depth: '1' })
  expect(entries[1]!.records[0]).toMatchObject({ kind: 'input', text: '* Not a headline' })
})

test('a file that was cut anywhere is read', async () => {
  const dir = folder()
  const trace = openTrace({ dir, clock })
  for (const text of ['one', 'two']) {
    trace.begin(heard(text))
    trace.record({ kind: 'x', text: 'y', verdicts: [verdictOfTest] })
    trace.end()
  }
  await trace.flush()
  const whole = readFileSync(join(dir, '2026-11-21.org'), 'utf8')
  const complete = readTrace(whole)
  for (let at = 0; at < whole.length; at++) {
    const entries = readTrace(whole.slice(0, at))
    for (const [index, entry] of entries.entries()) {
      if (entry.complete) expect(entry.records.length).toBe(complete[index]!.records.length)
    }
    if (entries.length === 2) expect(entries[0]).toEqual(complete[0])
  }
})

test('what was written in turns is two entries', async () => {
  const dir = folder()
  const trace = openTrace({ dir, clock })
  trace.begin(heard('one'))
  const resumeOne = trace.suspend()
  trace.record({ kind: 'lost' })
  trace.begin(heard('two'))
  const resumeTwo = trace.suspend()
  resumeOne()
  trace.record({ kind: 'a' })
  trace.end()
  resumeTwo()
  trace.record({ kind: 'b' })
  trace.end()
  await trace.flush()
  const entries = readTraceDay(dir, '2026-11-21')
  expect(entries.map(({ complete }) => complete)).toEqual([true, true])
  const kinds = entries.map(({ records }) => records.map(({ kind }) => kind))
  expect(kinds).toEqual([
    ['input', 'a', 'done'],
    ['input', 'b', 'done'],
  ])
})

test('an entry is found by its id, and the last decision without one', async () => {
  const dir = folder()
  expect([traceDays(join(dir, 'none')), findEntry(dir), findEntry(dir, '../x')]).toEqual([
    [],
    null,
    null,
  ])
  const trace = openTrace({ dir, clock })
  const first = trace.begin(heard('one'))
  trace.record({ kind: 'verdict' })
  trace.begin(heard('two'))
  await trace.flush()
  writeFileSync(join(dir, '2026-11-20.org'), '* nothing\n')
  writeFileSync(join(dir, 'notes.org'), '* nothing\n')
  expect(traceDays(dir)).toEqual(['2026-11-20', '2026-11-21'])
  expect(findEntry(dir)?.id).toBe(first)
  expect(findEntry(dir, first)?.id).toBe(first)
  expect(findEntry(dir, '20261121T000000000-1')).toBeNull()
})
