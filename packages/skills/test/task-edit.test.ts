import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, ingestMemex, openMemex } from '@passepartout/core'
import fc from 'fast-check'
import { applyPatches } from 'org-ast/edit'
import { expect, onTestFinished, test } from 'vitest'
import { editFiles, inverse, meantBy, undoLast } from '../src/task-edit.ts'

function runtimeWith(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'task-edit-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  ingestMemex(runtime)
  return { runtime, read: (name: string) => readFileSync(join(dir, name), 'utf8'), dir }
}

test('patches and their inverse cancel out', () => {
  const cuts = fc.array(fc.nat(40), { minLength: 2, maxLength: 8 })
  fc.assert(
    fc.property(fc.string({ minLength: 40, maxLength: 60 }), cuts, fc.string(), (text, at, put) => {
      const ends = [...new Set(at)].sort((a, b) => a - b)
      const patches = ends.flatMap((begin, index) => {
        const end = ends[index + 1]
        return index % 2 === 1 || end === undefined ? [] : [{ begin, end, text: put }]
      })
      const after = applyPatches(text, patches)
      expect(applyPatches(after, inverse(text, patches))).toBe(text)
    }),
  )
})

test('changes are taken back one by one', () => {
  const { runtime, read, dir } = runtimeWith({ 'a.org': '* A\r\n', 'b.org': '* B\n' })
  const put = (path: string, text: string) =>
    editFiles(runtime, `wrote ${text}`, [
      { path, text: read(path), patches: [{ begin: 0, end: 0, text }] },
    ])
  put('a.org', '# one\r\n')
  put('b.org', '# two\n')
  expect(undoLast(runtime)).toEqual({
    status: 'success',
    content: 'Undone: wrote # two\n. b.org is as it was before.',
  })
  expect([read('a.org'), read('b.org')]).toEqual(['# one\r\n* A\r\n', '* B\n'])
  writeFileSync(join(dir, 'a.org'), 'typed since')
  expect(undoLast(runtime)).toMatchObject({ status: 'error' })
  expect(read('a.org')).toBe('typed since')
  expect(undoLast(runtimeWith({}).runtime)).toMatchObject({ message: 'There is nothing to undo.' })
})

test('two files are changed together or not at all', () => {
  const { runtime, read } = runtimeWith({ 'a.org': '* A\n', 'b.org': '* B\n' })
  const patches = [{ begin: 0, end: 0, text: '# x\n' }]
  const files = [
    { path: 'a.org', text: '* A\n', patches },
    { path: 'b.org', text: 'not this', patches },
  ]
  expect(() => editFiles(runtime, 'moved', files)).toThrow('changed')
  expect([read('a.org'), read('b.org')]).toEqual(['* A\n', '* B\n'])
  expect(undoLast(runtime)).toMatchObject({ status: 'error' })
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
