import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { replaceFile, writeNewFile } from '../../src/base/new-file.ts'

test('a new file is closed to others, and nothing else is written to', () => {
  const dir = mkdtempSync(join(tmpdir(), 'new-file-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeNewFile(join(dir, 'a'), 'Ä\n')
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('Ä\n')
  expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o600)
  writeFileSync(join(dir, 'old'), 'old')
  symlinkSync(join(dir, 'old'), join(dir, 'link'))
  symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling'))
  for (const name of ['a', 'old', 'link', 'dangling']) {
    expect(() => writeNewFile(join(dir, name), 'new')).toThrow('EEXIST')
  }
  expect(readFileSync(join(dir, 'old'), 'utf8')).toBe('old')
  expect(existsSync(join(dir, 'nowhere'))).toBe(false)
})

test('a file is replaced as a whole', () => {
  const dir = mkdtempSync(join(tmpdir(), 'new-file-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const file = join(dir, 'deep/a')
  replaceFile(file, 'one')
  writeFileSync(join(dir, 'other'), 'other')
  symlinkSync(join(dir, 'other'), join(dir, 'deep/link'))
  replaceFile(file, 'two')
  replaceFile(join(dir, 'deep/link'), 'three', 0o644)
  const texts = ['deep/a', 'deep/link', 'other'].map((name) =>
    readFileSync(join(dir, name), 'utf8'),
  )
  expect(texts).toEqual(['two', 'three', 'other'])
  expect(statSync(join(dir, 'deep/link')).mode & 0o777).toBe(0o644)
  mkdirSync(join(dir, 'deep/folder/full'), { recursive: true })
  expect(() => replaceFile(join(dir, 'deep/folder'), 'four')).toThrow()
  expect(readdirSync(join(dir, 'deep')).sort()).toEqual(['a', 'folder', 'link'])
})
