import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tangle } from '../../src/run/tangle.ts'

function project(files: Record<string, string>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'run-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'src'))
  const settings = { 'org-tangle': { sources: ['.'], owns: ['src'] } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(settings))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  return root
}

const block = (target: string) => `#+begin_src sh :tangle ${target}\na\n#+end_src\n`

test('no document is a target, not even of another one alone', async () => {
  const root = project({ 'a.org': block('b.org'), 'b.org': 'Words.\n' })
  for (const paths of [[], ['a.org']]) {
    const { problems, written } = await tangle({ cwd: root, paths })
    expect({ written, messages: problems.map(({ message }) => message) }).toEqual({
      written: false,
      messages: [expect.stringContaining('a document')],
    })
  }
})

test('a rehearsal returns the plan and writes nothing', async () => {
  const root = project({ 'a.org': block('src/a.sh'), 'src/old.sh': '' })
  const seen: string[] = []
  const outcome = await tangle({
    cwd: root,
    rehearse: true,
    prune: true,
    onProgress: (done, total) => seen.push(`${done}/${total}`),
  })
  expect(outcome.plan.files.map(({ action }) => action)).toEqual(['create', 'delete'])
  expect(outcome).toMatchObject({ written: false, problems: [], stale: [join(root, 'src/old.sh')] })
  expect(existsSync(join(root, 'src/a.sh'))).toBe(false)
  expect(seen).toEqual(['0/1'])
})

test('a conflict keeps everything from being written, a broken document does not', async () => {
  const root = project({ 'a.org': block('src/a.sh'), 'b.org': block('(f)') })
  expect(await tangle({ cwd: root })).toMatchObject({
    written: true,
    problems: [{ code: 'document' }],
  })
  expect(existsSync(join(root, 'src/a.sh'))).toBe(true)
  writeFileSync(join(root, 'src/of-b.sh'), '')
  expect(await tangle({ cwd: root, prune: true })).toMatchObject({ stale: [] })
  expect(existsSync(join(root, 'src/of-b.sh'))).toBe(true)
  writeFileSync(join(root, 'b.org'), block('src/a.sh') + block('src/b.sh'))
  expect(await tangle({ cwd: root })).toMatchObject({
    written: false,
    problems: [{ code: 'twice', file: join(root, 'b.org'), line: 1 }],
  })
  expect(existsSync(join(root, 'src/b.sh'))).toBe(false)
})

test('code that is lost is told, and its files are no leftovers', async () => {
  const open = '#+begin_src sh :tangle src/b.sh\nb\n'
  const markers = '<<<<<<<<< ours\n=========\n>>>>>>>>> theirs\n'
  const root = project({ 'a.org': `${block('src/a.sh')}${open}`, 'c.org': markers, 'src/b.sh': '' })
  const { book, written, stale } = await tangle({ cwd: root, prune: true })
  expect(written).toBe(true)
  expect(stale).toEqual([])
  expect(existsSync(join(root, 'src/b.sh'))).toBe(true)
  const told = book.warnings.map(({ code, file, line }) => `${file.at(-5)} ${line} ${code}`)
  expect(told).toEqual([
    'a 4 unclosed-block',
    ...[1, 2, 3].map((line) => `c ${line} conflict-marker`),
  ])
  const lint = { 'conflict-marker': { ignore: ['c.*'] }, 'unclosed-block': 'off' }
  const settings = { 'org-tangle': { sources: ['.'], lint } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(settings))
  expect((await tangle({ cwd: root })).book.warnings).toEqual([])
})
