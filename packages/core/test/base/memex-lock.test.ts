import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { holdMemex, MemexHeldError } from '../../src/base/memex-lock.ts'

function memex(): string {
  const dir = mkdtempSync(join(tmpdir(), 'memex-lock-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'notes'), { mode: 0o700 })
  return join(dir, 'notes')
}

test('a memex is held by one, whatever its name and the state', () => {
  const notes = memex()
  const link = `${notes}.link`
  symlinkSync(notes, link)
  const release = holdMemex(notes, '/state/one')
  const second = () => holdMemex(link, '/state/two')
  expect(second).toThrow(MemexHeldError)
  expect(second).toThrow(`process ${process.pid}, with its state in /state/one`)
  release()
  release()
  second()()
  expect(readdirSync(notes)).toEqual([])
  expect(holdMemex('/no/such/folder', '/state/one')).not.toThrow()
})

test('what is in a memex belongs to it', () => {
  const notes = memex()
  mkdirSync(join(notes, 'areas/deep'), { recursive: true })
  mkdirSync(`${notes}-too`)
  const release = holdMemex(join(notes, 'areas'), '/state/one')
  for (const other of [notes, join(notes, 'areas/deep')]) {
    expect(() => holdMemex(other, '/state/two')).toThrow(/areas and .+ overlaps it.+state\/one/)
  }
  holdMemex(`${notes}-too`, '/state/two')()
  release()
  holdMemex(notes, '/state/two')()
})

test('where others see the notes they see the lock', () => {
  const repository = memex()
  mkdirSync(join(repository, '.git'))
  const held = holdMemex(repository, '/state')
  expect(existsSync(join(repository, '.git/passepartout.lock'))).toBe(true)
  held()
  expect([readdirSync(repository), readdirSync(join(repository, '.git'))]).toEqual([['.git'], []])
  const shared = memex()
  chmodSync(shared, 0o777)
  const also = holdMemex(shared, '/state')
  expect(readdirSync(shared)).toEqual(['.passepartout.lock'])
  also()
  expect(readdirSync(shared)).toEqual([])
})
