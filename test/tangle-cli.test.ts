import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')
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

function tangle(cwd: string, ...args: string[]) {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
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

test('the tool that the tool writes writes the tool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of ['org', 'package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  expect(tangle(folder)).toMatchObject({ code: 0 })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['commander', 'zod', 'org-ast']) link(folder, name)
  const own = join(folder, 'tools/tangle/src/cli.ts')
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  rmSync(join(folder, 'tools/tangle/test'), { recursive: true })
  const run = spawnSync(process.execPath, [...flags, own], { cwd: folder, encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0 })
  expect(run.stdout).toContain('wrote tools/tangle/test/targets.test.ts')
  for (const name of ['cli', 'book', 'targets', 'write', 'check', 'index']) {
    const path = `tools/tangle/src/${name}.ts`
    expect(readFileSync(join(folder, path), 'utf8')).toBe(readFileSync(join(root, path), 'utf8'))
  }
})

function link(folder: string, name: string): void {
  const own = join(folder, 'packages', name)
  const from = name === 'org-ast' ? own : join(root, 'node_modules', name)
  symlinkSync(from, join(folder, 'node_modules', name))
}
