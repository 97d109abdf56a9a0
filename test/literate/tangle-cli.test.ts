import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const command = join(root, 'tools/tangle/src/cli.ts')

const document = `#+property: header-args:sh :tangle ../src/a.sh :mkdirp yes
* One
#+begin_src sh
echo one
#+end_src
* Two
#+begin_src sh
echo two
echo three
#+end_src
#+begin_src sh :tangle ../src/b.sh
echo b
#+end_src
`

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tangle-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'org'))
  const settings = { 'org-tangle': { sources: ['org'], owns: ['src'] } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(settings))
  writeFileSync(join(folder, 'org/a.org'), document)
  return folder
}

const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

function tangle(cwd: string, ...args: string[]) {
  const run = spawnSync(process.execPath, [...flags, command, ...args], { cwd, encoding: 'utf8' })
  return { code: run.status, out: run.stdout, err: run.stderr }
}

test('only what changed is written', () => {
  const folder = project()
  expect(tangle(folder).out).toMatch(
    'wrote src/a.sh\nwrote src/b.sh\n1 documents, 2 files, 2 written',
  )
  expect(tangle(folder).out).toMatch(/^1 documents, 2 files, 0 written/)
  writeFileSync(join(folder, 'org/a.org'), document.replace('echo b', 'echo bee'))
  expect(tangle(folder, '--quiet').out).toBe('wrote src/b.sh\n')
  expect(readFileSync(join(folder, 'src/b.sh'), 'utf8')).toBe('echo bee\n')
})

test('a check names the document, the line and both texts', () => {
  const folder = project()
  expect(tangle(folder, '--check')).toMatchObject({ code: 1 })
  tangle(folder)
  expect(tangle(folder, '--check')).toMatchObject({ code: 0, err: '' })
  writeFileSync(join(folder, 'src/a.sh'), 'echo one\n\necho 2\necho three\n')
  const { code, err } = tangle(folder, '--check')
  expect(code).toBe(1)
  expect(err).toBe('org/a.org:8: src/a.sh:3 differs\n  - echo 2\n  + echo two\n')
  expect(readFileSync(join(folder, 'src/a.sh'), 'utf8')).toContain('echo 2')
})

test('a block without an end is told, and fails', () => {
  const folder = project()
  const open = document.replace(/(echo b\n)#\+end_src/, '$1')
  writeFileSync(join(folder, 'org/a.org'), `${open}<<<<<<<<< ours\n=========\n>>>>>>>>> theirs\n`)
  const told = [
    'org/a.org:11: #+begin_src is never closed',
    ...[14, 15, 16].map((line) => `org/a.org:${line}: a conflict marker of a merge`),
  ]
  for (const mode of [[], ['--check'], ['--dry-run'], []]) {
    const { code, err } = tangle(folder, ...mode)
    expect(code).toBe(1)
    expect(err.trim().split('\n')).toEqual(told.map((one) => expect.stringContaining(one)))
  }
  expect(existsSync(join(folder, 'src/a.sh'))).toBe(true)
  expect(existsSync(join(folder, 'src/b.sh'))).toBe(false)
})

test('a file that nobody describes fails the check, and is removed when asked', () => {
  const folder = project()
  tangle(folder)
  writeFileSync(join(folder, 'src/old.sh'), 'echo old\n')
  expect(tangle(folder, '--check')).toMatchObject({
    code: 1,
    err: 'src/old.sh: no document describes this file (--prune removes it)\n',
  })
  expect(tangle(folder, '--dry-run', '--prune').code).toBe(0)
  expect(tangle(folder, '--prune').out).toContain('removed src/old.sh')
  expect(tangle(folder, '--check').code).toBe(0)
})

test('a rehearsal is a table, or JSON, and touches nothing', () => {
  const folder = project()
  tangle(folder)
  writeFileSync(join(folder, 'src/a.sh'), 'echo two\n')
  rmSync(join(folder, 'src/b.sh'))
  writeFileSync(join(folder, 'src/old.sh'), 'echo old\n')
  expect(tangle(folder, '--dry-run', '--prune', '-q').out).toBe(
    [
      'change  src/a.sh    org/a.org:3',
      'create  src/b.sh    org/a.org:11',
      'delete  src/old.sh  described nowhere\n',
    ].join('\n'),
  )
  const { code, out } = tangle(folder, '--dry-run', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    documents: ['org/a.org'],
    files: [
      {
        action: 'change',
        path: 'src/a.sh',
        document: 'org/a.org',
        line: 3,
        difference: { orgLine: 4, codeLine: 1 },
      },
      { action: 'create', path: 'src/b.sh' },
    ],
    stale: ['src/old.sh'],
    problems: [],
    written: false,
  })
  expect(readFileSync(join(folder, 'src/a.sh'), 'utf8')).toBe('echo two\n')
})

test('settings and options say what documents do not', () => {
  const folder = project()
  const settings = { sources: ['org'], owns: ['src'], 'header-args:python': ':tangle ../src/p.py' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ 'org-tangle': settings }))
  const python = '#+begin_src python\nprint(1)\n#+end_src\n#+begin_src lua\nprint(2)\n#+end_src\n'
  writeFileSync(join(folder, 'org/b.org'), python)
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src/old.sh'), '')
  expect(tangle(folder, '--lang', '^py').out).toMatch(/^wrote src\/p.py\n2 documents, 1 files/)
  expect(tangle(folder, '--lang', 'lua', '--target-file', '../src/l.lua', '-q')).toMatchObject({
    out: 'wrote src/l.lua\n',
    err: '',
  })
  expect(tangle(folder, '-q').out).toBe('wrote src/a.sh\nwrote src/b.sh\n')
  expect(tangle(folder, '--lang', '(').code).toBe(2)
})

test('a conflict keeps every file from being written', () => {
  const folder = project()
  writeFileSync(join(folder, 'org/b.org'), '#+begin_src sh :tangle ../src/a.sh\n#+end_src\n')
  const { code, out, err } = tangle(folder)
  expect({ code, err }).toEqual({
    code: 1,
    err: 'org/b.org:1: src/a.sh is already described by org/a.org:3\nnothing was written\n',
  })
  expect(out).toMatch(/^2 documents, 2 files, 0 written/)
  expect(existsSync(join(folder, 'src'))).toBe(false)
})

test('Ctrl-C leaves everything as it was', async () => {
  const folder = project()
  const blocks = Array.from({ length: 3000 }, (_, n) => `#+begin_src sh :tangle ../many/${n}.sh`)
  writeFileSync(
    join(folder, 'org/b.org'),
    blocks.join('\na\n#+end_src\n').concat('\na\n#+end_src\n'),
  )
  mkdirSync(join(folder, 'many'))
  const child = spawn(process.execPath, [...flags, command], { cwd: folder })
  const watcher = watch(join(folder, 'many'))
  watcher.once('change', () => child.kill('SIGINT'))
  const [code] = await once(child, 'close')
  watcher.close()
  expect(code).toBe(130)
  expect(readdirSync(join(folder, 'many'))).toEqual([])
  expect(existsSync(join(folder, 'src'))).toBe(false)
})

test('kill -9 on the way back leaves every document whole', async () => {
  const folder = project()
  const names = Array.from({ length: 40 }, (_, n) => `org/many-${n}.org`)
  const text = (n: number, word: string) =>
    `${word.repeat(20_000)}\n#+begin_src sh :tangle ../src/${n}.sh :mkdirp yes\n${word}\n#+end_src\n`
  const padded = (n: number, word: string) => text(n, 'a').replace(/^a$/m, word)
  for (const [n, name] of names.entries()) writeFileSync(join(folder, name), text(n, 'a'))
  tangle(folder)
  for (const n of names.keys()) writeFileSync(join(folder, `src/${n}.sh`), 'b\n')
  const child = spawn(process.execPath, [...flags, command, '--detangle'], { cwd: folder })
  const watcher = watch(join(folder, 'org'), (_event, name) => {
    if (name?.endsWith('.org-tangle')) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  watcher.close()
  expect(signal).toBe('SIGKILL')
  names.forEach((name, n) => {
    expect([text(n, 'a'), padded(n, 'b')]).toContain(readFileSync(join(folder, name), 'utf8'))
  })
  tangle(folder, '--detangle', '--force')
  names.forEach((name, n) => {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(padded(n, 'b'))
  })
})

test('lint names what is wrong with a document', () => {
  const folder = project()
  const settings = { 'bare-block': 'off', 'prose-ratio': 'off', title: 'warning' }
  const packageJson = { 'org-tangle': { sources: ['org'], lint: settings } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(packageJson))
  expect(tangle(folder, 'lint')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^org\/a.org:1:1: warning: no #\+title: .*\[title\]$/m),
  })
  writeFileSync(join(folder, 'org/a.org'), `${document}[[file:none.org]]\n`)
  const { code, out } = tangle(folder, 'lint', '--quiet')
  expect({ code, out }).toEqual({
    code: 1,
    out: 'org/a.org:14:1: error: there is no file none.org [dead-link]\n',
  })
  expect(JSON.parse(tangle(folder, 'lint', '--sarif').out)).toMatchObject({ version: '2.1.0' })
  expect(JSON.parse(tangle(folder, 'lint', '--json', 'org').out)).toMatchObject({ documents: 1 })
})

test('a document is moved, and a list of moves is taken', () => {
  const folder = project()
  tangle(folder)
  expect(tangle(folder, 'move', 'org/a.org')).toMatchObject({ code: 2 })
  expect(tangle(folder, 'move', 'org/none.org', 'org/b.org')).toMatchObject({
    code: 1,
    err: expect.stringContaining('there is no'),
  })
  const shown = tangle(folder, 'move', 'org/a.org', 'org/room/c.org', '--dry-run')
  expect(shown.out).toContain('rename from org/a.org\nrename to org/room/c.org')
  expect(existsSync(join(folder, 'org/a.org'))).toBe(true)
  writeFileSync(join(folder, 'moves.txt'), '# one\norg/a.org org/room/c.org The new title\n')
  expect(tangle(folder, 'move', '--list', 'moves.txt').out).toMatch(/^3 files moved, 0 others/)
  expect(readFileSync(join(folder, 'org/room/c.org'), 'utf8')).toMatch(/^#\+title: The new title/)
  expect(tangle(folder, '--check')).toMatchObject({ code: 0 })
})

test('symbols are listed, found and renamed', () => {
  const folder = project()
  const block = (path: string, code: string) =>
    `#+begin_src typescript :tangle ../src/${path} :mkdirp yes\n${code}\n#+end_src\n`
  const text =
    block('c.ts', '/** One. And more. */\nexport const one = 1') +
    block('d.ts', "import { one } from './c.ts'\nexport const two = one + 1") +
    'Here =one= is.\n'
  writeFileSync(join(folder, 'org/c.org'), text)
  tangle(folder)
  expect(tangle(folder, 'symbols').out).toBe(
    'org/c.org:3:14: export variable one - One.\norg/c.org:7:14: export variable two\n',
  )
  expect(tangle(folder, 'refs', 'one').out.split('\n')[1]).toContain('org/c.org:6:10: use: import')
  expect(tangle(folder, 'rename', 'one', 'uno', '--dry-run').out).toContain('+export const uno = 1')
  expect(tangle(folder, '--check').code).toBe(0)
  expect(tangle(folder, 'rename', 'one', 'uno', '--prose').out).toBe(
    '1 documents and 2 files changed, 1 mentions\n',
  )
  expect(readFileSync(join(folder, 'org/c.org'), 'utf8')).toContain('Here =uno= is.')
  expect(tangle(folder, '--check').code).toBe(0)
})

test('help is 0, a typo is 2, a broken document is 1 and keeps the rest', () => {
  const folder = project()
  expect(tangle(folder, '--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('--check'),
  })
  expect(tangle(folder, '--chekc').code).toBe(2)
  expect(tangle(folder, 'nothing.org')).toMatchObject({
    code: 2,
    err: expect.stringContaining('nothing.org'),
  })
  writeFileSync(join(folder, 'org/b.org'), '\n#+begin_src sh :tangle (f)\n#+end_src\n')
  const { code, out, err } = tangle(folder)
  expect(code).toBe(1)
  expect(err).toContain('org/b.org:2: :tangle (f)')
  expect(out).toContain('wrote src/a.sh')
})

test.each([
  ['--check', '--detangle'],
  ['--check', '--watch'],
  ['--prune', '--detangle'],
  ['--watch', '--detangle'],
  ['--watch', '--dry-run'],
  ['--check', '--dry-run'],
  ['--check', '--prune'],
])('%s and %s contradict one another', (one, other) => {
  const folder = project()
  const { code, err, out } = tangle(folder, one, other)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('cannot be used with')
  expect(existsSync(join(folder, 'src'))).toBe(false)
})

test('the tool that the tool writes writes the tool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of ['org', 'package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  expect(tangle(folder)).toMatchObject({ code: 0 })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['commander', 'ignore', 'org-ast']) link(folder, name)
  const own = join(folder, 'tools/tangle/src/cli.ts')
  rmSync(join(folder, 'tools/tangle/test'), { recursive: true })
  const run = spawnSync(process.execPath, [...flags, own], { cwd: folder, encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0 })
  expect(run.stdout).toContain('wrote tools/tangle/test/blocks/targets.test.ts')
  for (const name of [
    'cli',
    'command/command',
    'blocks/book',
    'run/write-plan',
    'blocks/targets',
    'run/write',
    'index',
  ]) {
    const path = `tools/tangle/src/${name}.ts`
    expect(readFileSync(join(folder, path), 'utf8')).toBe(readFileSync(join(root, path), 'utf8'))
  }
})

function link(folder: string, name: string): void {
  const own = join(folder, 'packages', name)
  const from = name === 'org-ast' ? own : join(root, 'node_modules', name)
  symlinkSync(from, join(folder, 'node_modules', name))
}
