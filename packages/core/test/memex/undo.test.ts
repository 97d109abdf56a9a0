import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../../src/memex/memex.ts'
import { editFile, editFiles, undoableFiles, undoLast } from '../../src/memex/undo.ts'
import { ObjectStore } from '../../src/memory/store.ts'
import { handClock } from '../base/hand-clock.ts'

function deskWith(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'undo-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const clock = handClock()
  const author = { by: 'agent' as const, signal: 's', outside: false }
  const store = new ObjectStore(clock)
  const made = { memex: openMemex(dir), store, clock, author, turn: null as string | null }
  return { made, read: (name: string) => readFileSync(join(dir, name), 'utf8'), dir }
}

test('changes are taken back one by one', async () => {
  const { made, read, dir } = deskWith({ 'a.org': '* A\r\n', 'b.org': '* B\n' })
  const put = (path: string, text: string) =>
    editFile(made, `wrote ${text}`, path, () => [{ begin: 0, end: 0, text }])
  await put('a.org', '# one\r\n')
  await put('b.org', '# two\n')
  expect(await undoLast(made)).toEqual({
    status: 'success',
    content: 'Undone: wrote # two\n. b.org is as it was before.',
  })
  expect([read('a.org'), read('b.org')]).toEqual(['# one\r\n* A\r\n', '* B\n'])
  writeFileSync(join(dir, 'a.org'), 'typed since')
  expect(await undoLast(made)).toMatchObject({ message: expect.stringContaining('since') })
  expect(read('a.org')).toBe('typed since')
  const nothing = { message: 'There is nothing to undo.' }
  expect(await undoLast(deskWith({}).made)).toMatchObject(nothing)
})

test('a turn is taken back as one change', async () => {
  const { made, read, dir } = deskWith({ 'a.org': '* A\n', 'b.org': '* B\n' })
  const put = (turn: string, path: string, text: string) => {
    made.turn = turn
    return editFile(made, text, path, () => [{ begin: 0, end: 0, text: `# ${text}\n` }])
  }
  await put('before', 'a.org', 'zero')
  await put('t', 'a.org', 'one')
  await put('t', 'b.org', 'two')
  await put('t', 'a.org', 'three')
  expect(undoableFiles(made, 't')).toEqual(['a.org', 'b.org'])
  expect(undoableFiles(made, 'before')).toEqual([])
  writeFileSync(join(dir, 'b.org'), 'typed since')
  expect(await undoLast(made)).toMatchObject({ message: expect.stringContaining('b.org has') })
  expect(read('a.org')).toBe('# three\n# one\n# zero\n* A\n')
  writeFileSync(join(dir, 'b.org'), '# two\n* B\n')
  expect(await undoLast(made)).toEqual({
    status: 'success',
    content: 'Undone: three; two; one. a.org and b.org are as they were before.',
  })
  expect([read('a.org'), read('b.org')]).toEqual(['# zero\n* A\n', '* B\n'])
  expect(undoableFiles(made, 'before')).toEqual(['a.org'])
})

test('two files are changed together or not at all', async () => {
  const { made, read } = deskWith({ 'a.org': '* A\n', 'b.org': '* B\n' })
  const patches = [{ begin: 0, end: 0, text: '# x\n' }]
  const plan = () => [
    { path: 'a.org', text: '* A\n', patches },
    { path: 'b.org', text: 'not this', patches },
  ]
  await expect(editFiles(made, 'moved', plan)).rejects.toThrow('changed')
  expect([read('a.org'), read('b.org')]).toEqual(['* A\n', '* B\n'])
  expect(await undoLast(made)).toMatchObject({ status: 'error' })
})
