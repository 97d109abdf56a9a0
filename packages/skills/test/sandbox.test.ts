import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bubblewrapArguments, findSandbox, unreadableFile } from '../src/sandbox.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'sandbox-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test.runIf(process.platform === 'linux')('what is missing or broken is no sandbox', () => {
  const dir = folder()
  expect(findSandbox([dir])).toEqual({
    available: false,
    reason: 'bubblewrap (bwrap) is not installed',
  })
  writeFileSync(join(dir, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  expect(findSandbox([dir])).toMatchObject({ available: false, reason: /may not make namespaces/ })
})

test('hidden folders come before the workspace, and are closed after it', () => {
  const dir = folder()
  mkdirSync(join(dir, 'state/inner'), { recursive: true })
  const view = {
    workspace: join(dir, 'memex'),
    hiddenFolders: [join(dir, 'state/inner'), join(dir, 'state'), join(dir, 'none')],
    hiddenFiles: [join(dir, 'memex/diary.org')],
    fixedFiles: [join(dir, 'memex/.envrc')],
    unreadable: join(dir, 'x'),
  }
  const line = bubblewrapArguments(view, ['--unshare-all']).join(' ').replaceAll(dir, 'D')
  expect(line).toMatch(/--tmpfs D\/state .*--bind D\/memex D\/memex .*--remount-ro D\/state /)
  expect(line).toContain('--ro-bind D/memex/.envrc D/memex/.envrc --ro-bind')
  expect(line).toContain('--ro-bind D/x D/memex/diary.org')
  expect(line).not.toMatch(/inner|none/)
})

test('the unreadable file has no permissions, the second time either', () => {
  const dir = join(folder(), 'state')
  for (const path of [unreadableFile(dir), unreadableFile(dir)]) {
    expect(statSync(path).mode & 0o777).toBe(0)
  }
})
