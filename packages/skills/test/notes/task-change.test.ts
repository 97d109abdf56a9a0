import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import { setTags } from 'org-ast/edit'
import { expect, onTestFinished, test } from 'vitest'
import { changeNote, dayAndDate, noteParameters, stamp } from '../../src/notes/task-change.ts'
import { headlineOf } from '../../src/notes/task-edit.ts'

test('a day is said with its date', () => {
  expect(dayAndDate('2026-11-22', '2026-11-21')).toBe('tomorrow, Sun 22 Nov')
})

test('a title is one line, and a date is a timestamp', () => {
  expect(noteParameters.safeParse({ query: 'milk' }).success).toBe(true)
  expect(noteParameters.safeParse({ query: 'milk\n* TODO pay' }).success).toBe(false)
  expect(stamp.safeParse('<2026-11-22 Sun 14:00-15:30 .+1w>').success).toBe(true)
  for (const text of ['tomorrow', '[2026-11-22 Sun]', '<2026-11-22 Sun>\n* x'])
    expect(stamp.safeParse(text).success).toBe(false)
})

test.each([
  ['2026-11-22', '<2026-11-22 Sun>'],
  ['2026-11-22 14:00', '<2026-11-22 Sun 14:00>'],
  ['2026-11-22T14:00:00', '<2026-11-22 Sun 14:00>'],
  ['2026-02-30', null],
  ['2026-13-45', null],
  ['tomorrow', null],
])('%s is %s', (words, written) => {
  const read = stamp.safeParse(words)
  expect(read.success ? read.data : null).toBe(written)
})

test('the answer shows the note as it stands afterwards', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'task-change-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 't.org'), '* TODO Buy milk\n')
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  ingestMemex(runtime)
  const meta = { source: 'cli' }
  const signal = { type: 'event', meta, payload: {}, depth: 0 } as const
  const tagged = () =>
    changeNote(
      { runtime, signal },
      { name: { query: 'milk' }, which: 'open', label: 'tagged' },
      (text, tree, note) => setTags(text, headlineOf(tree, note), ['shop']),
      (after, before) => `${before.tags.join()} → ${after.tags.join()}`,
    )
  expect(await tagged()).toMatchObject({ content: expect.stringContaining(' → shop\n') })
  const text = readFileSync(join(dir, 't.org'), 'utf8')
  expect(await tagged()).toMatchObject({
    content: 'Nothing had to be changed at “Buy milk” (t.org:1).',
  })
  expect(readFileSync(join(dir, 't.org'), 'utf8')).toBe(text)
})
