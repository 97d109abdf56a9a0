import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { main } from '../../src/command/command.ts'
import { detangle } from '../../src/detangle/detangle-run.ts'
import { tangle } from '../../src/run/tangle.ts'

const block = (target: string, body: string) =>
  `#+begin_src sh :tangle ${target} :mkdirp yes\n${body}\n#+end_src\n`

async function project(documents: Record<string, string>): Promise<string> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'back-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const settings = { 'org-tangle': { sources: ['.'], owns: ['src'] } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(settings))
  for (const [name, text] of Object.entries(documents)) {
    writeFileSync(join(root, name), text)
    utimesSync(join(root, name), 1, 1)
  }
  await tangle({ cwd: root })
  return root
}

const read = (root: string, name: string) => readFileSync(join(root, name), 'utf8')

test('edits of several files go back into their documents', async () => {
  const documents = {
    'a.org': `Text.\n${block('src/a', 'one\ntwo')}${block('src/b', 'three')}`,
    'b.org': block('src/c', 'four'),
  }
  const root = await project(documents)
  writeFileSync(join(root, 'src/a'), 'uno\ntwo\nand more\n')
  writeFileSync(join(root, 'src/b'), 'tre\n')
  writeFileSync(join(root, 'src/c'), 'quattro\n')
  expect(await detangle({ cwd: root })).toMatchObject({ written: true, refusals: [] })
  expect(read(root, 'a.org')).toBe(
    documents['a.org'].replace('one\ntwo', 'uno\ntwo\nand more').replace('three', 'tre'),
  )
  expect(read(root, 'b.org')).toBe(block('src/c', 'quattro'))
  const { plan } = await tangle({ cwd: root, rehearse: true })
  expect(plan.files.every(({ action }) => action === 'same')).toBe(true)
})

test('all edits are written or none', async () => {
  const documents = {
    'a.org': block('src/a', 'one') + block('src/a', 'two'),
    'b.org': block('src/b', 'three'),
  }
  const root = await project(documents)
  writeFileSync(join(root, 'src/a'), 'one\nmore\n\ntwo\n')
  writeFileSync(join(root, 'src/b'), 'tre\n')
  const outcome = await detangle({ cwd: root })
  expect(outcome).toMatchObject({ written: false, documents: [{ file: join(root, 'b.org') }] })
  expect(outcome.refusals).toHaveLength(1)
  expect(read(root, 'b.org')).toBe(documents['b.org'])
})

test('whoever names a file is not stopped by a broken document elsewhere', async () => {
  const root = await project({ 'a.org': block('src/a', 'one') })
  writeFileSync(join(root, 'src/a'), 'uno\n')
  writeFileSync(
    join(root, 'b.org'),
    '#+name: b\n#+begin_src sh :tangle b :noweb yes\n<<b>>\n#+end_src\n',
  )
  expect(await detangle({ cwd: root })).toMatchObject({ written: false, refusals: [{}] })
  expect(await detangle({ cwd: root, paths: ['b'] })).toMatchObject({ refusals: [{}] })
  expect(await detangle({ cwd: root, paths: ['src/a'] })).toMatchObject({ written: true })
  expect(read(root, 'a.org')).toBe(block('src/a', 'uno'))
})

test('a document that is newer than its code keeps its edits', async () => {
  const root = await project({ 'a.org': block('src/a', 'one') })
  writeFileSync(join(root, 'a.org'), block('src/a', 'two'))
  utimesSync(join(root, 'src/a'), 1, 1)
  const [refusal] = (await detangle({ cwd: root })).refusals
  expect(refusal?.places).toMatchObject([
    { file: join(root, 'a.org') },
    { file: join(root, 'src/a') },
  ])
  expect(await detangle({ cwd: root, force: true })).toMatchObject({ written: true })
  expect(read(root, 'a.org')).toBe(block('src/a', 'one'))
})

test('what cannot be read to the byte is refused, with both places', async () => {
  const documents = { 'a.org': block('src/a', 'one'), 'b.org': block('src/b', 'two') }
  const root = await project(documents)
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'back-')))
  onTestFinished(() => rmSync(elsewhere, { recursive: true }))
  writeFileSync(join(elsewhere, 'secret'), 'secret\n')
  const attempts: (() => void)[] = [
    () => writeFileSync(join(root, 'src/a'), Buffer.from([0x61, 0xff, 0x0a])),
    () => mkdirSync(join(root, 'src/a')),
    () => symlinkSync(join(elsewhere, 'secret'), join(root, 'src/a')),
  ]
  for (const attempt of attempts) {
    rmSync(join(root, 'src/a'), { recursive: true })
    attempt()
    const { refusals } = await detangle({ cwd: root })
    expect(refusals).toMatchObject([
      { places: [{ file: join(root, 'src/a') }, { file: join(root, 'a.org') }] },
    ])
    expect(read(root, 'a.org')).toBe(documents['a.org'])
  }
})

test('a document with bytes that are no UTF-8 keeps them', async () => {
  const root = await project({ 'a.org': block('src/a', 'one') })
  const bytes = Buffer.concat([Buffer.from(block('src/a', 'one')), Buffer.from([0xe9, 0x0a])])
  writeFileSync(join(root, 'a.org'), bytes)
  writeFileSync(join(root, 'src/a'), 'uno\n')
  const [refusal] = (await detangle({ cwd: root, force: true })).refusals
  expect(refusal?.message).toContain('is not UTF-8')
  expect(readFileSync(join(root, 'a.org'))).toEqual(bytes)
})

test('a document behind a link is carried back to when it is named', async () => {
  const root = await project({ 'a.txt': block('src/a', 'one') })
  symlinkSync(join(root, 'a.txt'), join(root, 'a.org'))
  await tangle({ cwd: root, paths: ['a.org'] })
  writeFileSync(join(root, 'src/a'), 'uno\n')
  expect(await detangle({ cwd: root, paths: ['a.org'] })).toMatchObject({ written: true })
  expect(read(root, 'a.txt')).toBe(block('src/a', 'uno'))
  expect(lstatSync(join(root, 'a.org')).isSymbolicLink()).toBe(true)
})

test('the command says what it did, would do, or cannot do', async () => {
  const root = await project({ 'a.org': block('src/a', 'one') + block('src/a', 'two') })
  const said = async (...args: string[]) => {
    const out: string[] = []
    const log = console.log
    console.log = (line: string) => void out.push(line)
    try {
      return { code: await main(['--detangle', ...args], root), out: out.join('\n') }
    } finally {
      console.log = log
    }
  }
  expect(await said()).toEqual({ code: 0, out: 'no tangled file was edited' })
  writeFileSync(join(root, 'src/a'), 'uno\n\ntwo\n')
  expect(await said('--dry-run', 'src/a')).toMatchObject({
    code: 0,
    out: expect.stringContaining('-one\n+uno\n'),
  })
  expect(await said('a.org')).toEqual({ code: 0, out: 'a.org: 1 change from src/a' })
  writeFileSync(join(root, 'src/a'), 'uno\n\n\ntwo\n')
  expect(await said()).toEqual({ code: 1, out: '' })
  expect(await said('package.json')).toMatchObject({ code: 1 })
})
