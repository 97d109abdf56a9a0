import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FileLocked, lockHolder, withLock } from '../../src/base/file-lock.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lock-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

const here = hostname()

test.each([
  [`ann@${here}.${process.ppid}:1795256000`, { user: 'ann', host: here, pid: process.ppid }],
  [`a.b@c@${here}.${process.ppid}`, { user: 'a.b@c', host: here, pid: process.ppid }],
  ['ann@far.example.org.1:5', { user: 'ann', host: 'far.example.org', pid: 1 }],
  [`ann@${here}.99999999:5`, null],
  [`passepartout@${here}.${process.pid}`, null],
  ['../a.org', null],
])('%s', (sentence, holder) => {
  const dir = folder()
  symlinkSync(sentence, join(dir, '.#a.org'))
  writeFileSync(join(dir, '.#b.org'), sentence)
  expect(['a.org', 'b.org'].map((name) => lockHolder(join(dir, name)))).toEqual([holder, holder])
  expect(lockHolder(join(dir, 'c.org'))).toBeNull()
})

test('a lock is held by one', () => {
  const dir = folder()
  const file = join(dir, 'a.org')
  symlinkSync(`ann@${here}.99999999`, join(dir, '.#a.org'))
  const inside = () => {
    expect(readdirSync(dir)).toEqual(['.#a.org'])
    throw new Error('inside')
  }
  expect(() => withLock(file, inside)).toThrow('inside')
  expect(readdirSync(dir)).toEqual([])
  symlinkSync(`ann@${here}.${process.ppid}`, join(dir, '.#a.org'))
  expect(() => withLock(file, () => 1)).toThrow(FileLocked)
  expect(readdirSync(dir)).toEqual(['.#a.org'])
})
