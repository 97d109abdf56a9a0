import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { editFile, editFiles, meantBy, undoLast } from '../../src/common/task-edit.ts'

function runtimeWith(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'task-edit-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  ingestMemex(runtime)
  return { runtime, read: (name: string) => readFileSync(join(dir, name), 'utf8'), dir }
}

test('changes are taken back one by one', async () => {
  const { runtime, read, dir } = runtimeWith({ 'a.org': '* A\r\n', 'b.org': '* B\n' })
  const put = (path: string, text: string) =>
    editFile(runtime, `wrote ${text}`, path, () => [{ begin: 0, end: 0, text }])
  await put('a.org', '# one\r\n')
  await put('b.org', '# two\n')
  expect(await undoLast(runtime)).toEqual({
    status: 'success',
    content: 'Undone: wrote # two\n. b.org is as it was before.',
  })
  expect([read('a.org'), read('b.org')]).toEqual(['# one\r\n* A\r\n', '* B\n'])
  writeFileSync(join(dir, 'a.org'), 'typed since')
  expect(await undoLast(runtime)).toMatchObject({ message: expect.stringContaining('since') })
  expect(read('a.org')).toBe('typed since')
  const nothing = { message: 'There is nothing to undo.' }
  expect(await undoLast(runtimeWith({}).runtime)).toMatchObject(nothing)
})

test('two files are changed together or not at all', async () => {
  const { runtime, read } = runtimeWith({ 'a.org': '* A\n', 'b.org': '* B\n' })
  const patches = [{ begin: 0, end: 0, text: '# x\n' }]
  const plan = () => [
    { path: 'a.org', text: '* A\n', patches },
    { path: 'b.org', text: 'not this', patches },
  ]
  await expect(editFiles(runtime, 'moved', plan)).rejects.toThrow('changed')
  expect([read('a.org'), read('b.org')]).toEqual(['* A\n', '* B\n'])
  expect(await undoLast(runtime)).toMatchObject({ status: 'error' })
})

test('an open task is meant before a note, and a place decides', () => {
  const { runtime } = runtimeWith({ 'a.org': '* Sow\n* TODO Sow beans\n* DONE Sow\n' })
  const places = (query: string, which: 'open' | 'done' | 'any', place?: string) =>
    meantBy(runtime.store.objects(), { query, place }, which).map(({ line }) => line)
  expect(places('sow', 'any')).toEqual([2])
  expect(places('sow', 'done')).toEqual([3])
  expect(places('Sow', 'open', 'a.org:1')).toEqual([1])
  expect(places('Reap', 'any', 'a.org:1')).toEqual([])
})
