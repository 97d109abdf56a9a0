import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  bubblewrapArguments,
  findSandbox,
  readingView,
  unreadableFile,
} from '../../src/sandbox/sandbox.ts'

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

test('a program that reads has nothing to write to', () => {
  const dir = folder()
  for (const name of ['home/work', 'home/lib', 'home/state']) {
    mkdirSync(join(dir, name), { recursive: true })
  }
  const [home, memexDir, stateDir] = ['home', 'home/notes', 'home/state'].map((x) => join(dir, x))
  const places = { home: home!, memexDir: memexDir!, stateDir: stateDir! }
  const view = readingView(places, join(dir, 'home/work'))
  const line = (more: object) =>
    bubblewrapArguments({ ...view, ...more }, [])
      .join(' ')
      .replaceAll(dir, 'D')
  expect(line({})).not.toContain(' --bind ')
  expect(line({ writable: [join(dir, 'home/work/.git')] })).toMatch(
    /--ro-bind D\/home\/work D\/home\/work --bind D\/home\/work\/.git D\/home\/work\/.git/,
  )
  expect(line({ readable: [join(dir, 'home')], hiddenFolders: [places.stateDir] })).toMatch(
    /--ro-bind D\/home D\/home .*--tmpfs D\/home\/state .*--remount-ro D\/home\/state/,
  )
})

test('the unreadable file has no permissions, the second time either', () => {
  const dir = join(folder(), 'state')
  for (const path of [unreadableFile(dir), unreadableFile(dir)]) {
    expect(statSync(path).mode & 0o777).toBe(0)
  }
})
