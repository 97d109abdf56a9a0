import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  rollbackDiff,
  rollbackSteps,
  rollFilesBack,
  stepLines,
} from '../../src/approval/rollback.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { ObjectStore } from '../../src/memory/store.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'rollback-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const store = new ObjectStore()
  const put = (path: string, text: string) => {
    writeFileSync(join(dir, path), text)
    store.ingestFile(path, text)
  }
  for (const name of ['a', 'b', 'c']) put(`${name}.org`, `* ${name}\r\nOne.\n`)
  const then = store.snapshot()
  put('a.org', '* a\r\nTwo.\n')
  rmSync(join(dir, 'b.org'))
  store.removeFile('b.org')
  put('new.org', '* new\n')
  const read = (path: string) => readFileSync(join(dir, path), 'utf8')
  return { dir, store, memex: openMemex(dir), steps: rollbackSteps(store.snapshot(), then), read }
}

test('files go back, and what has come since stays', () => {
  const { memex, store, steps, read } = setting()
  expect(stepLines(steps)).toBe('a.org changes\nb.org comes back\nnew.org is newer and stays')
  expect(rollbackDiff(steps, store.history)).toContain('-Two.\n+One.')
  expect(rollFilesBack(memex, store, steps)).toEqual(['a.org', 'b.org'])
  expect(['a.org', 'b.org', 'new.org'].map(read)).toEqual([
    '* a\r\nOne.\n',
    '* b\r\nOne.\n',
    '* new\n',
  ])
})

test('all go back or none', () => {
  const { dir, memex, store, steps, read } = setting()
  writeFileSync(join(dir, 'a.org'), 'typed in this second')
  expect(() => rollFilesBack(memex, store, steps.toReversed())).toThrow('in the meantime')
  expect(read('a.org')).toBe('typed in this second')
  expect(memex.files()).toEqual(['a.org', 'c.org', 'new.org'])
})

test('a folder comes back, and whatever stands in the way stops all of it', () => {
  const { dir, memex, store } = setting()
  mkdirSync(join(dir, 'zz'))
  writeFileSync(join(dir, 'zz/deep.org'), '* Deep\n')
  store.ingestFile('zz/deep.org', '* Deep\n')
  const then = store.snapshot()
  rmSync(join(dir, 'zz'), { recursive: true })
  store.removeFile('zz/deep.org')
  writeFileSync(join(dir, 'c.org'), '* newer\n')
  store.ingestFile('c.org', '* newer\n')
  const back = () => rollFilesBack(memex, store, rollbackSteps(store.snapshot(), then))
  const obstacles: [string, () => void, RegExp][] = [
    ['zz', () => writeFileSync(join(dir, 'zz'), 'a file'), /zz is a file/],
    ['zz', () => latinNote(dir), /deep.org was not made: something is there/],
    ['.#c.org', () => symlinkSync(`me@here.${process.pid}`, join(dir, '.#c.org')), /unsaved/],
  ]
  for (const [name, act, message] of obstacles) {
    act()
    expect(back).toThrow(message)
    expect(readFileSync(join(dir, 'c.org'), 'utf8')).toBe('* newer\n')
    rmSync(join(dir, name), { recursive: true })
  }
  expect(back()).toEqual(['c.org', 'zz/deep.org'])
  expect(readFileSync(join(dir, 'zz/deep.org'), 'utf8')).toBe('* Deep\n')
})

function latinNote(dir: string): void {
  mkdirSync(join(dir, 'zz'))
  writeFileSync(join(dir, 'zz/deep.org'), Buffer.from([0x2a, 0x20, 0xe9]))
}
