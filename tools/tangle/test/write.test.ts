import {
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
import { Mapped } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'
import { targetState, writeTarget } from '../src/write.ts'

function setting(path: string, text = 'new\n', extra = {}) {
  const root = mkdtempSync(join(tmpdir(), 'write-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const target = {
    path: join(root, path),
    document: join(root, 'a.org'),
    text,
    code: new Mapped(text, []),
    lines: [2],
    line: 1,
    mode: null,
    executable: false,
    makeDirectories: false,
    ...extra,
  }
  return { root, target }
}

test('a file is written once, and left alone when it is the same', () => {
  const { root, target } = setting('a.sh')
  expect(targetState(target)).toBe('missing')
  expect(writeTarget(root, target)).toBe(true)
  const before = statSync(target.path).mtimeMs
  expect(writeTarget(root, target)).toBe(false)
  expect(statSync(target.path).mtimeMs).toBe(before)
  expect(readdirSync(root)).toEqual(['a.sh'])
})

test('a shebang makes it executable, also when only that is missing', () => {
  const { root, target } = setting('a.sh', '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(target.path, target.text)
  expect(targetState(target)).toBe('different')
  writeTarget(root, target)
  expect(statSync(target.path).mode & 0o777).toBe(0o755)
})

test('a missing folder needs mkdirp', () => {
  const { root, target } = setting('deep/er/a.sh')
  expect(() => writeTarget(root, target)).toThrow(':mkdirp yes')
  writeTarget(root, { ...target, makeDirectories: true })
  expect(readFileSync(target.path, 'utf8')).toBe('new\n')
})

test('a link out of the project is refused', () => {
  const { root, target } = setting('out/a.sh')
  const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'))
  onTestFinished(() => rmSync(elsewhere, { recursive: true }))
  mkdirSync(join(elsewhere, 'folder'))
  symlinkSync(join(elsewhere, 'folder'), join(root, 'out'))
  expect(() => writeTarget(root, target)).toThrow('outside the project')
  expect(readdirSync(join(elsewhere, 'folder'))).toEqual([])
  const deeper = { ...target, path: join(root, 'out/new/a.sh'), makeDirectories: true }
  expect(() => writeTarget(root, deeper)).toThrow('outside the project')
  expect(readdirSync(join(elsewhere, 'folder'))).toEqual([])
})
