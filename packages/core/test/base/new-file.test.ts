import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeNewFile } from '../../src/base/new-file.ts'

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
