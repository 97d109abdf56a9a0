import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, openMemex, undoLast } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { tasks } from '../../src/notes/tasks.ts'

test('the first task makes the inbox', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tasks-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  const capture = tasks.tools?.find(({ name }) => name === 'capture-task')
  const meta = { source: 'cli' }
  const signal = { type: 'event', meta, payload: {}, depth: 0 } as const
  await capture?.run({ title: 'Buy milk' }, { runtime, signal, abort: AbortSignal.any([]) })
  const inbox = () => readFileSync(join(dir, 'inbox.org'), 'utf8')
  expect(inbox()).toBe('* TODO Buy milk\n')
  await undoLast(runtime)
  expect(inbox()).toBe('')
})
