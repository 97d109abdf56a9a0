import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { meantBy } from '../../src/notes/task-edit.ts'

function runtimeWith(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'task-edit-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  ingestMemex(runtime)
  return runtime
}

test('an open task is meant before a note, and a place decides', () => {
  const runtime = runtimeWith({ 'a.org': '* Sow\n* TODO Sow beans\n* DONE Sow\n' })
  const places = (query: string, which: 'open' | 'done' | 'any', place?: string) =>
    meantBy(runtime.store.objects(), { query, place }, which).map(({ line }) => line)
  expect(places('sow', 'any')).toEqual([2])
  expect(places('sow', 'done')).toEqual([3])
  expect(places('Sow', 'open', 'a.org:1')).toEqual([1])
  expect(places('Reap', 'any', 'a.org:1')).toEqual([])
})
