import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isStartupPath, lookThrough, restoreStartup } from '../src/startup-files.ts'

function folder(files: Record<string, string> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'startup-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [path, text] of Object.entries(files)) put(dir, path, text)
  return dir
}

function put(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
}

test.each([
  ['.bashrc', true],
  ['a/b/.envrc', true],
  ['.git/hooks/pre-commit', true],
  ['sub/.git/config', true],
  ['.git/modules/x/hooks/post-checkout', true],
  ['.git', true],
  ['.vscode/tasks.json', true],
  ['.git/hooks/pre-commit.sample', false],
  ['.git/HEAD', false],
  ['.git/objects/ab/cd', false],
  ['notes.org', false],
  ['bashrc', false],
  ['.git/hooks/pre-commit.passepartout-disabled', false],
])('%s runs by itself: %s', (path, runs) => {
  expect(isStartupPath(path)).toBe(runs)
})

test.each<[string, (dir: string) => void, string[]]>([
  ['a new hook', (dir) => put(dir, '.git/hooks/pre-commit', 'evil'), ['.git/hooks/pre-commit']],
  ['a new repository', (dir) => put(dir, 'sub/.git/config', '[core]\nbare = false\n'), []],
  [
    'settings that run',
    (dir) => put(dir, 'x/.git/config', '[core]\nfsmonitor = evil\n'),
    ['x/.git/config'],
  ],
  [
    'a way to show differences',
    (dir) => put(dir, 'y/.git/config', '[diff]\nexternal = evil\n'),
    ['y/.git/config'],
  ],
  ['a changed file', (dir) => put(dir, '.envrc', 'evil'), ['.envrc']],
  ['a link', (dir) => symlinkSync('/tmp/evil', join(dir, '.bashrc')), ['.bashrc']],
  [
    'a folder made again',
    (dir) => {
      renameSync(join(dir, '.git'), join(dir, 'old'))
      put(dir, '.git/hooks/post-merge', 'evil')
    },
    ['.git/hooks/post-merge'],
  ],
  [
    'a bare repository',
    (dir) => {
      for (const file of ['HEAD', 'objects/x', 'refs/x', 'hooks/pre-push'])
        put(dir, `b/${file}`, 'x')
    },
    ['b/hooks/pre-push'],
  ],
  ['an ordinary file', (dir) => put(dir, 'bashrc.org', 'x'), []],
])('%s is undone', (_, command, expected) => {
  const dir = folder({ '.git/config': '[core]\n', '.envrc': 'use flake\n', 'a.org': '* A\n' })
  const before = lookThrough(dir)
  command(dir)
  const { changes, complete } = restoreStartup(before)
  expect([changes.map(({ path }) => path), complete]).toEqual([expected, true])
  for (const path of expected) {
    expect(() => lstatSync(join(dir, `${path}.passepartout-disabled`))).not.toThrow()
  }
  expect(readFileSync(join(dir, '.envrc'), 'utf8')).toBe('use flake\n')
  expect(restoreStartup(before).changes).toEqual([])
})

test('nothing is overwritten, and a link stays a link', () => {
  const dir = folder({ 'real.sh': 'x' })
  symlinkSync('real.sh', join(dir, '.profile'))
  const before = lookThrough(dir)
  for (const text of ['one', 'two']) {
    put(dir, '.envrc', text)
    rmSync(join(dir, '.profile'))
    put(dir, '.profile', text)
    expect(restoreStartup(before).changes).toHaveLength(2)
  }
  expect(readlinkSync(join(dir, '.profile'))).toBe('real.sh')
  const kept = ['', '-2'].map((end) => join(dir, `.envrc.passepartout-disabled${end}`))
  expect(kept.map((path) => readFileSync(path, 'utf8'))).toEqual(['one', 'two'])
})

test('what was not seen is not clean', () => {
  expect(lookThrough(join(folder(), 'none')).complete).toBe(false)
  expect(lookThrough(folder()).complete).toBe(true)
})
