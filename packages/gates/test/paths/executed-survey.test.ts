import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  bytesOfPath,
  executedAs,
  executedElsewhere,
  surveyFolder,
} from '../../src/paths/executed-survey.ts'

function folder(files: Record<string, string>, links: Record<string, string> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'survey-')))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const parent = (path: string) => mkdirSync(dirname(join(dir, path)), { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    parent(path)
    writeFileSync(join(dir, path), text)
  }
  for (const [path, target] of Object.entries(links)) {
    parent(path)
    symlinkSync(target, join(dir, path))
  }
  return dir
}

type Way = [way: string, files: Record<string, string>, links: Record<string, string>, path: string]

const config = (text: string, at = '.git/config') => ({ [at]: text })
const bare = { 'b/HEAD': 'x', 'b/objects/x': '', 'b/refs/x': '' }
const settings: Way[] = [
  ['hooks elsewhere', config('[core] hooksPath = "checks"\n'), {}, 'checks/pre-push'],
  ['an include', config('[include]\n\tpath = ../team.cfg ; ours\n'), {}, 'team.cfg'],
  [
    'a program of an include',
    { ...config('[include]\npath = ../team.cfg\n'), 'team.cfg': '[core] fsmonitor = s/f.sh\n' },
    {},
    's/f.sh',
  ],
  ['a watcher', config('[core]\nfsmonitor = scripts/f.sh\n'), {}, 'scripts/f.sh'],
  ['a filter', config('[filter "x"]\nclean = python "s/c.py" %f\n'), {}, 's/c.py'],
  ['a shell line', config('[alias]\nx = "!f() { s/a.sh; }; f"\n'), {}, 's/a.sh'],
  ['a line that goes on', config('[diff "x"]\ntextconv = \\\n  s/t.sh\n'), {}, 's/t.sh'],
  ['a value that ends early', config('[include]\npath = a/b\0x\n'), {}, '.git/a/b'],
  ['a key of tomorrow', config('[core]\nnewrunner = s/n.sh\n'), {}, 's/n.sh'],
  [
    'a linked working tree',
    {
      ...config('[core]\nhooksPath = checks\n'),
      '.git/worktrees/x/HEAD': '',
      '.git/worktrees/x/commondir': '../..',
      '.git/worktrees/x/gitdir': '../../../tree/.git\n',
    },
    {},
    'tree/checks/pre-commit',
  ],
  [
    'a working tree of a repository elsewhere',
    { 'tree/.git': 'gitdir: ../main.git\n', 'main.git/config': '[core]\nhooksPath = checks\n' },
    {},
    'tree/checks/pre-commit',
  ],
  ['settings of the home', config('[core]\npager = s/p.sh\n', '.gitconfig'), {}, 's/p.sh'],
]

const linked: Way[] = [
  ['a link to a file', {}, { '.envrc': 'docs/env.txt' }, 'docs/env.txt'],
  ['a hook', {}, { '.git/hooks/pre-commit': '../../s/check' }, 's/check'],
  ['a folder of an editor', {}, { '.vscode': 'data' }, 'data/tasks.json'],
  ['a link behind a link', {}, { '.vscode': 'data', 'data/tasks.json': '../x.json' }, 'x.json'],
  ['three links', {}, { '.husky': 'a', 'a/h': '../b', 'b/pre-push': '../c' }, 'c'],
  ['hooks of a bare repository', bare, { 'b/hooks': '../s' }, 's/pre-push'],
  [
    'hooks elsewhere, and elsewhere again',
    config('[core]\nhooksPath = checks\n'),
    { checks: 'real' },
    'real/pre-push',
  ],
  ['a folder that is its own', {}, { '.cargo': '.' }, 'config.toml'],
  ['a link to what is not there', {}, { '.envrc': 'later/env' }, 'later/env'],
  [
    'steps of a rebase',
    { '.git/HEAD': '', '.git/objects/x': '', '.git/refs/x': '' },
    {},
    '.git/rebase-merge/git-rebase-todo',
  ],
]

test.each([...settings, ...linked])('%s leads to a file', (_, files, links, path) => {
  const survey = surveyFolder(folder(files, links))
  expect(executedAs(survey, path)?.rule).toBeTypeOf('string')
  expect(executedAs(survey, 'notes/other.txt')).toBeNull()
  expect([...survey.unread]).toEqual([])
})

test.each([
  ['the key of a person', config('[user]\nname = notes\nemail = a@b.c\n'), {}, 'notes'],
  ['a branch', config('[branch "main"]\nmerge = refs/heads/main\n'), {}, 'refs/heads/main'],
  ['an ordinary link', {}, { 'docs/a.txt': '../b.txt' }, 'b.txt'],
  ['a sample of a hook', config('[core]\nhooksPath = c\n'), {}, 'c/pre-push.sample'],
  ['a link to outside', {}, { '.envrc': '../../env' }, 'env'],
] as Way[])('%s does not', (_, files, links, path) => {
  expect(executedAs(surveyFolder(folder(files, links)), path)).toBeNull()
})

test('a name that is no text is a name', () => {
  const dir = folder({ 'a/.envrc': 'x' })
  const odd = Buffer.concat([Buffer.from(join(dir, 'odd-')), Buffer.of(0xff, 0xfe)])
  mkdirSync(odd)
  writeFileSync(Buffer.concat([odd, Buffer.from('/.envrc')]), 'x')
  symlinkSync('x', Buffer.concat([Buffer.from(`${dir}/`), Buffer.of(0xff)]))
  const survey = surveyFolder(dir)
  expect([...survey.unread]).toEqual([])
  const found = [...survey.folders.keys()].find((path) => path.startsWith('odd-')) ?? ''
  expect(executedAs(survey, `${found}/.envrc`)?.rule).toBe('folder')
  expect(bytesOfPath(join(dir, found))).toEqual(odd)
})

test('a tree that is too deep hides itself', () => {
  const deep = `${'d/'.repeat(101)}x`
  const survey = surveyFolder(folder({ [deep]: 'x', 'z/.envrc': 'x' }))
  expect([...survey.unread]).toEqual([`${'d/'.repeat(101)}`.slice(0, -1)])
  expect(survey.folders.has('z')).toBe(true)
})

test('a thousand links to one folder end the survey and are told', () => {
  const links = Object.fromEntries(
    Array.from({ length: 1_001 }, (_, at) => [`x${at}/.vscode`, '../data']),
  )
  expect([...surveyFolder(folder({ 'data/x': '' }, links)).unread]).toEqual([''])
})

test('a path is known by the folders around it', () => {
  const dir = folder(
    {
      'src/garden/.git/config': '[core]\nhooksPath = git-hooks\n',
      'src/garden/sub/a.txt': '',
      'memex/docs/env.txt': '',
      'dot/bashrc': '',
    },
    {
      'memex/sub/.envrc': '../docs/env.txt',
      '.bashrc': 'dot/bashrc',
      '.config/nvim': '../dot/nvim',
    },
  )
  const rule = (path: string) => {
    const places = Object.freeze({ home: dir, cwd: join(dir, 'memex') })
    return executedElsewhere(join(dir, path), places)?.rule ?? null
  }
  expect(rule('src/garden/git-hooks/pre-commit')).toBe('repository')
  expect(rule('memex/docs/env.txt')).toBe('folder')
  expect(rule('dot/bashrc')).toBe('startup')
  expect(rule('dot/nvim/init.lua')).toBe('editor')
  expect(['src/garden/a.ts', 'memex/a.org', 'dot/notes'].map(rule)).toEqual([null, null, null])
  symlinkSync('../a.txt', join(dir, 'src/garden/sub/.envrc'))
  expect(rule('src/garden/a.txt')).toBe('folder')
})
