import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { realPath } from '../src/runtime.ts'

test('a link is followed even to what does not exist yet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runtime-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync('/etc', join(folder, 'notes'))
  expect(realPath(join(folder, 'notes/new/file'))).toBe('/etc/new/file')
  expect(realPath('/nowhere/../etc')).toBe('/etc')
})
