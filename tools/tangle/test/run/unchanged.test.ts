import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tangle } from '../../src/run/tangle.ts'

function project(): { root: string; memory: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'unchanged-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'src'))
  const settings = { 'org-tangle': { sources: ['org'], owns: ['src'] } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(settings))
  mkdirSync(join(root, 'org'))
  const block = (header: string) => `#+begin_src sh ${header}\necho\n#+end_src\n`
  writeFileSync(join(root, 'org/a.org'), block(':tangle ../src/a.sh :shebang #!/bin/sh'))
  writeFileSync(join(root, 'org/b.org'), `#+setupfile: s.txt\n${block('')}`)
  writeFileSync(join(root, 'org/s.txt'), '#+property: header-args :tangle ../src/b.sh\n')
  return { root, memory: join(root, '.memory') }
}

/** Whether a run had to read the documents, and what it has found. */
async function look(root: string, memory: string) {
  let read = false
  const onProgress = () => {
    read = true
  }
  const outcome = await tangle({ cwd: root, memory, rehearse: true, onProgress })
  const { files } = outcome.plan
  const clean = outcome.stale.length === 0 && files.every(({ action }) => action === 'same')
  return { read, clean, files: files.length }
}

test('a run without a change is not read again', async () => {
  const { root, memory } = project()
  await tangle({ cwd: root, memory })
  expect(await look(root, memory)).toEqual({ read: false, clean: true, files: 2 })
  const [file] = readdirSync(memory)
  expect(statSync(join(memory, file!)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(memory, file!), 'utf8')).not.toContain('echo')
})

const write = (name: string, text: string) => (root: string) =>
  writeFileSync(join(root, name), text)

test.each([
  ['a document', write('org/a.org', '#+begin_src sh :tangle ../src/a.sh\nls\n#+end_src\n'), false],
  ['a new document', write('org/c.org', 'Words.\n'), true],
  ['a document that is gone', (root: string) => rmSync(join(root, 'org/a.org')), false],
  ['a file', write('src/a.sh', 'ls\n'), false],
  ['a file that is gone', (root: string) => rmSync(join(root, 'src/b.sh')), false],
  ['a mode', (root: string) => chmodSync(join(root, 'src/a.sh'), 0o644), false],
  ['a leftover', write('src/old.sh', ''), false],
  ['a setup file', write('org/s.txt', '#+property: header-args :tangle no\n'), false],
  ['the settings', write('package.json', '{ "org-tangle": { "sources": ["org"] } }'), true],
  ['a folder', (root: string) => mkdirSync(join(root, 'src/b.sh.d')), true],
])('%s is noticed', async (what, change, clean) => {
  const { root, memory } = project()
  await tangle({ cwd: root, memory })
  change(root)
  const seen = await look(root, memory)
  expect(seen).toMatchObject({ read: what !== 'a folder', clean })
  const unaided = await tangle({ cwd: root, rehearse: true })
  expect(seen.files).toBe(unaided.plan.files.length)
})

test('a link in the place of a file is looked at by the plan', async () => {
  const { root, memory } = project()
  await tangle({ cwd: root, memory })
  writeFileSync(join(root, 'b.sh'), readFileSync(join(root, 'src/b.sh')))
  rmSync(join(root, 'src/b.sh'))
  symlinkSync('../b.sh', join(root, 'src/b.sh'))
  expect(await look(root, memory)).toMatchObject({ read: true, clean: true })
  expect(await look(root, memory)).toMatchObject({ read: true, clean: true })
})

test('a memory that is damaged is none', async () => {
  const { root, memory } = project()
  await tangle({ cwd: root, memory })
  for (const text of ['', '{}', '[1]', '{"tool":1']) {
    for (const name of readdirSync(memory)) writeFileSync(join(memory, name), text)
    expect(await look(root, memory)).toEqual({ read: true, clean: true, files: 2 })
  }
})

test('a variable that a header argument asks for is part of the memory', async () => {
  const { root, memory } = project()
  const header = ':tangle (concat "../src/" (or (getenv "UNCHANGED_TEST") "c") ".sh")'
  writeFileSync(join(root, 'org/c.org'), `#+begin_src sh ${header}\na\n#+end_src\n`)
  await tangle({ cwd: root, memory })
  expect(await look(root, memory)).toMatchObject({ read: false, clean: true })
  process.env.UNCHANGED_TEST = 'd'
  onTestFinished(() => {
    delete process.env.UNCHANGED_TEST
  })
  expect(await look(root, memory)).toMatchObject({ read: true, clean: false })
})

test('a run with something to say is not remembered', async () => {
  const { root, memory } = project()
  const block = '#+begin_src sh :tangle ../src/c.sh :noweb yes\n<<lost>>\n#+end_src\n'
  writeFileSync(join(root, 'org/c.org'), block)
  await tangle({ cwd: root, memory })
  await tangle({ cwd: root, memory })
  expect(await look(root, memory)).toMatchObject({ read: true })
})
