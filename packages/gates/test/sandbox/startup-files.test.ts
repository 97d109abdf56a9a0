import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lookThrough, restoreStartup } from '../../src/sandbox/startup-files.ts'

function folder(files: Record<string, string> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'startup-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [path, text] of Object.entries(files)) put(dir, path, text)
  return dir
}

function put(dir: string, path: string, text: string): string {
  mkdirSync(dirname(join(dir, path)), { recursive: true })
  writeFileSync(join(dir, path), text)
  return join(dir, path)
}

type Trial = [name: string, command: (dir: string) => unknown, undone: string[]]

const plainTrials: Trial[] = [
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
]

const gitTrials: Trial[] = [
  ['a settings file elsewhere', (dir) => put(dir, '.git/commondir', '/tmp/x'), ['.git/commondir']],
  [
    'an include',
    (dir) => put(dir, 'x/.git/config', '[includeIf "gitdir:~/"]\npath = /tmp/x\n'),
    ['x/.git/config'],
  ],
  [
    'a working tree elsewhere',
    (dir) => {
      for (const file of ['HEAD', 'commondir', 'gitdir']) put(dir, `.git/worktrees/x/${file}`, 'x')
    },
    ['.git/worktrees/x/commondir', '.git/worktrees/x/gitdir'],
  ],
  [
    'a submodule',
    (dir) => {
      for (const file of ['HEAD', 'objects/x', 'refs/x', 'hooks/post-checkout'])
        put(dir, `.git/modules/a/b/${file}`, 'x')
      put(dir, '.git/modules/a/b/config', '[submodule "x"]\nupdate = !evil\n')
    },
    ['.git/modules/a/b/config', '.git/modules/a/b/hooks/post-checkout'],
  ],
  ['a file that stands for a repository', (dir) => put(dir, 'x/.git', 'gitdir: /tmp'), ['x/.git']],
  [
    'a repository in its own database',
    (dir) => put(dir, '.git/objects/ab/.git/hooks/pre-commit', 'evil'),
    ['.git/objects/ab/.git/hooks/pre-commit'],
  ],
  [
    'a hook below packages of packages',
    (dir) => put(dir, 'node_modules/a/node_modules/b/.envrc', 'evil'),
    ['node_modules/a/node_modules/b/.envrc'],
  ],
  [
    'a helper by address',
    (dir) => put(dir, 'x/.git/config', '[remote "x"]\nurl = ext::sh\n'),
    ['x/.git/config'],
  ],
  [
    'a key nobody knows',
    (dir) => put(dir, 'x/.git/config', '[core]\nnewrunner = sh\n'),
    ['x/.git/config'],
  ],
]

const toolTrials: Trial[] = [
  ['a build file', (dir) => put(dir, 'Makefile', 'all: ; evil\n'), ['Makefile']],
  ['plug-ins of a test', (dir) => put(dir, 'tests/conftest.py', 'evil'), ['tests/conftest.py']],
  ['a script of a package', (dir) => put(dir, 'package.json', '{}'), ['package.json']],
  [
    'a pipeline',
    (dir) => put(dir, '.github/workflows/ci.yml', 'on: push'),
    ['.github/workflows/ci.yml'],
  ],
  ['a task of an editor', (dir) => put(dir, '.vscode/tasks.json', '{}'), ['.vscode/tasks.json']],
  ['packages that were installed', (dir) => put(dir, 'node_modules/a/package.json', '{}'), []],
  ['an ordinary file', (dir) => put(dir, 'bashrc.org', 'x'), []],
]

test.each([...plainTrials, ...gitTrials, ...toolTrials])('%s is undone', (_, command, expected) => {
  const dir = folder({ '.git/config': '[core]\n', '.envrc': 'use flake\n', 'a.org': '* A\n' })
  const before = lookThrough(dir)
  command(dir)
  const { changes, unread } = restoreStartup(before)
  expect([changes.map(({ path }) => path).sort(), unread]).toEqual([expected, []])
  for (const path of expected) {
    expect(() => lstatSync(join(dir, `${path}.passepartout-disabled`))).not.toThrow()
  }
  expect(readFileSync(join(dir, '.envrc'), 'utf8')).toBe('use flake\n')
  expect(restoreStartup(before).changes).toEqual([])
})

function putRepository(dir: string, place: string): void {
  for (const file of ['HEAD', 'objects/x', 'refs/x']) put(dir, `${place}/.git/${file}`, 'x')
  put(dir, `${place}/.git/config`, '[core]\n')
}

test.each([
  ['new', 'conftest.py', false],
  ['gradle', 'wrapper/gradle-wrapper.properties', true],
  ['.husky', 'pre-push', true],
  ['.cargo', 'config.toml', true],
  ['.github/workflows', 'ci.yml', true],
])('a repository does not make a project of %s/%s', (place, file, isWhole) => {
  const dir = folder()
  const before = lookThrough(dir)
  if (isWhole) putRepository(dir, place)
  else mkdirSync(join(dir, place, '.git'), { recursive: true })
  put(dir, `${place}/${file}`, 'evil')
  const { changes, projects } = restoreStartup(before)
  expect(projects).toEqual([])
  expect(changes.map(({ path }) => path)).toContain(`${place}/${file}`)
})

test('a project that is new is told, and only what runs by itself is undone', () => {
  const dir = folder({ 'tests/a.py': '', '.git/config': '' })
  const before = lookThrough(dir)
  for (const place of ['clone', 'tests']) {
    putRepository(dir, place)
    for (const name of ['Makefile', 'sub/conftest.py', '.envrc']) put(dir, `${place}/${name}`, 'x')
  }
  const { changes, projects } = restoreStartup(before)
  expect(projects).toEqual(['clone'])
  expect(changes.map(({ path }) => path).sort()).toEqual([
    'clone/.envrc',
    'tests/.envrc',
    'tests/Makefile',
    'tests/sub/conftest.py',
  ])
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

test.each([
  ['.envrc', 'docs/env.txt', 'docs/env.txt'],
  ['.git/hooks/pre-commit', '../../scripts/check', 'scripts/check'],
  ['.git/hooks', '../scripts', 'scripts/pre-push'],
  ['.vscode', 'data', 'data/deep/er/and/deeper/tasks.json'],
  ['.venv/bin', '../tools/b', 'tools/b/activate'],
  ['.cargo', 'tools/c', 'tools/c/config.toml'],
  ['.github', 'data', 'data/workflows/ci.yml'],
])('%s, a link to %s, makes %s executed', (link, to, target) => {
  for (const isThere of [true, false]) {
    const dir = folder({ [target]: 'good', 'other.txt': 'x' })
    const make = () => {
      mkdirSync(dirname(join(dir, link)), { recursive: true })
      symlinkSync(to, join(dir, link))
    }
    if (isThere) make()
    const before = lookThrough(dir)
    expect(before.files.has(target)).toBe(isThere)
    if (isThere) put(dir, target, 'evil')
    else make()
    const { changes } = restoreStartup(before)
    expect(changes.map(({ path }) => path)).toEqual([isThere ? target : link])
    expect(readFileSync(join(dir, target), 'utf8')).toBe('good')
  }
})

test('a file that is made where a link leads is put away, and the link stays', () => {
  const dir = folder({ 'tools/x': '' })
  symlinkSync('tools', join(dir, '.cargo'))
  const before = lookThrough(dir)
  put(dir, 'tools/config.toml', 'evil')
  expect(restoreStartup(before).changes.map(({ path }) => path)).toEqual(['tools/config.toml'])
  expect(readlinkSync(join(dir, '.cargo'))).toBe('tools')
})

test('what settings of git lead to is looked at', () => {
  const dir = folder({
    '.git/config': '[include]\n\tpath = ../shared.ini\n[core] hooksPath = "checks"\n',
    'shared.ini': '[includeIf "gitdir:**"] path = more.ini\n',
    'more.ini': '[user]\nname = Ann\n',
    'checks/pre-commit': 'true',
  })
  const before = lookThrough(dir)
  put(dir, 'more.ini', '[filter "x"]\nclean = evil\n')
  put(dir, 'checks/pre-push', 'evil')
  put(dir, 'checks/pre-commit', 'evil')
  put(dir, 'other.ini', 'x')
  const { changes } = restoreStartup(before)
  expect(changes.map(({ path }) => path).sort()).toEqual([
    'checks/pre-commit',
    'checks/pre-push',
    'more.ini',
  ])
  expect(readFileSync(join(dir, 'more.ini'), 'utf8')).toContain('Ann')
})

test.each(['../team.cfg ; ours', '../te"a"m.cfg', '"../team.cfg" # x', '../team.cfg'])(
  'the include %s is looked at',
  (value) => {
    const dir = folder({ '.git/config': `[include]\npath = ${value}\n`, 'team.cfg': '' })
    expect(lookThrough(dir).files.has('team.cfg')).toBe(true)
  },
)

test('a large file is told about and not cut', () => {
  const dir = folder({ 'package.json': ' '.repeat(1_000_001) })
  const before = lookThrough(dir)
  put(dir, 'package.json', 'x'.repeat(1_000_001))
  const [change, ...more] = restoreStartup(before).changes
  expect([change?.what, more]).toEqual(['could not be put back', []])
  expect(readFileSync(join(dir, 'package.json'), 'utf8')).toHaveLength(1_000_001)
})

const hiding: [string, (dir: string) => void][] = [
  [
    'names that are no text',
    (dir) => {
      for (let at = 1; at <= 40; at++)
        symlinkSync('x', Buffer.concat([Buffer.from(`${dir}/`), Buffer.of(0xff, at + 0x80)]))
    },
  ],
  ['a file of two gigabytes', (dir) => truncateSync(put(dir, 'big/.envrc', ''), 2 ** 31)],
  ['a folder that is shut', (dir) => chmodSync(dirname(put(dir, 'shut/.envrc', 'x')), 0)],
  ['a file that is shut', (dir) => chmodSync(put(dir, '.npmrc', 'x'), 0)],
  ['a tree that is too deep', (dir) => void put(dir, `${'d/'.repeat(150)}x`, 'x')],
  ['a pipe', (dir) => void spawnSync('mkfifo', [join(dir, '.gitconfig'), join(dir, '.profile')])],
]

test.each(hiding)('%s does not hide what else was left', (_, hide) => {
  const dir = folder({ '.git/config': '[core]\n', 'a.org': '* A\n' })
  const before = lookThrough(dir)
  hide(dir)
  const planted = ['.git/hooks/post-checkout', '.envrc', 'sub/.envrc', 'zz/.vscode/tasks.json']
  for (const path of planted) put(dir, path, 'evil')
  const { changes } = restoreStartup(before)
  expect(changes.map(({ path }) => path)).toEqual(expect.arrayContaining(planted))
  for (const path of planted) expect(existsSync(join(dir, path))).toBe(false)
  for (const { what } of changes) expect(what).toBe('appeared and was disabled')
})

test.each(hiding)('%s does not make the files of the owner new', (_, hide) => {
  const own = { Makefile: 'all:\n', 'package.json': '{}', 'r/.git/hooks/pre-commit': 'x' }
  const dir = folder(own)
  hide(dir)
  const { changes } = restoreStartup(lookThrough(dir))
  expect(changes).toEqual([])
  for (const path of Object.keys(own)) expect(existsSync(join(dir, path))).toBe(true)
})

test('what was not seen before is told and stays', () => {
  const dir = folder({ 'd/Makefile': 'all:\n', '.envrc': 'x' })
  const look = lookThrough(dir)
  const before = { ...look, files: new Map(), unread: new Set(['d']) }
  const { changes, unread } = restoreStartup(before)
  expect(changes.map(({ path, what }) => [path, what])).toEqual([
    ['.envrc', 'appeared and was disabled'],
    ['d/Makefile', 'was not seen before and stays'],
  ])
  expect([unread, existsSync(join(dir, 'd/Makefile'))]).toEqual([['d'], true])
  expect(lookThrough(join(dir, 'none')).unread.size).toBe(1)
})

test('what is gone is told', () => {
  const dir = folder({ '.npmrc': 'ignore-scripts=true\n', '.git/hooks/pre-commit': 'x', a: '' })
  const before = lookThrough(dir)
  rmSync(join(dir, '.npmrc'))
  renameSync(join(dir, '.git/hooks'), join(dir, '.git/h'))
  mkdirSync(join(dir, '.git/hooks'))
  rmSync(join(dir, 'a'))
  expect(restoreStartup(before).removed.sort()).toEqual(['.git/hooks/pre-commit', '.npmrc'])
})

test.each([
  ['[core]\nhooksPath = ~/notes/checks\n', 'notes/checks/pre-commit'],
  ['[core]\nfsmonitor = ~/notes/f.sh\n', 'notes/f.sh'],
  ['[include]\npath = ~/notes/team.cfg\n', 'notes/team.cfg'],
])('the settings %j reach %s', (settings, path) => {
  const home = folder({ 'notes/.git/config': settings, 'notes/a.org': '* A\n' })
  const before = lookThrough(join(home, 'notes'), { home })
  put(home, path, '[core]\npager = evil\n')
  expect(restoreStartup(before).changes.map(({ path: found }) => `notes/${found}`)).toEqual([path])
})

test.each([
  ['pick 1234567 one\n# a comment\n', []],
  ['pick 1234567 one\nexec evil\n', ['.git/rebase-merge/git-rebase-todo']],
  ['x evil\n', ['.git/rebase-merge/git-rebase-todo']],
])('the steps %j of a rebase', (steps, undone) => {
  const dir = folder({ '.git/HEAD': '', '.git/objects/x': '', '.git/refs/x': '' })
  const before = lookThrough(dir)
  put(dir, '.git/rebase-merge/git-rebase-todo', steps)
  expect(restoreStartup(before).changes.map(({ path }) => path)).toEqual(undone)
})
