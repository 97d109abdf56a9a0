import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gitIgnored } from '../../src/project/gitignore.ts'

function repository(): string {
  const root = mkdtempSync(join(tmpdir(), 'ignore-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['.git', 'deep/er']) mkdirSync(join(root, folder), { recursive: true })
  return root
}

test('the nearest folder that says anything decides', () => {
  const root = repository()
  writeFileSync(join(root, '.gitignore'), 'old.org\nbuild/\n')
  writeFileSync(join(root, 'deep/er/.gitignore'), '!old.org\n')
  const isIgnored = gitIgnored()
  expect(isIgnored(join(root, 'old.org'), false)).toBe(true)
  expect(isIgnored(join(root, 'deep/old.org'), false)).toBe(true)
  expect(isIgnored(join(root, 'deep/er/old.org'), false)).toBe(false)
  expect(isIgnored(join(root, 'deep/build'), true)).toBe(true)
  expect(isIgnored(join(root, 'deep/build'), false)).toBe(false)
})

test('the patterns above the top of the repository do not count', () => {
  const root = repository()
  writeFileSync(join(root, '.gitignore'), '*.org\n')
  mkdirSync(join(root, 'deep/.git'))
  expect(gitIgnored()(join(root, 'deep/a.org'), false)).toBe(false)
  expect(gitIgnored()(join(root, 'a.org'), false)).toBe(true)
})
