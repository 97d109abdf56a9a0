import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findDocuments, readBook, staleFiles } from '../src/book.ts'

function project(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'book-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

const block = (target: string) => `#+begin_src sh :tangle ${target}\na\n#+end_src\n`

test('documents are found in name order, without what git ignores', () => {
  const root = project({
    '.gitignore': 'draft.org\n',
    'b.org': '',
    'a/z.org': '',
    'a/draft.org': '',
    'a/text.txt': '',
    '.hidden/x.org': '',
  })
  const local = (paths: string[]) => paths.map((path) => path.slice(root.length + 1))
  expect(local(findDocuments([root]))).toEqual(['a/z.org', 'b.org'])
  expect(local(findDocuments([join(root, 'a/draft.org')]))).toEqual(['a/draft.org'])
})

test('a document that is no UTF-8 is a problem at its line', () => {
  const root = project({ 'b.org': block('b') })
  const file = join(root, 'a.org')
  writeFileSync(file, Buffer.from(`Caf\u00e9\n${block('a')}`, 'latin1'))
  writeFileSync(join(root, 'c.org'), Buffer.from(`\n\n\u00e9`, 'latin1'))
  const files = [file, join(root, 'b.org'), join(root, 'c.org')]
  const { problems, targets } = readBook(root, files)
  expect(problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '1 this line is not UTF-8; save the document as UTF-8',
    '3 this line is not UTF-8; save the document as UTF-8',
  ])
  expect(targets.map(({ path }) => path)).toEqual([join(root, 'b')])
})

test('contradictions and ways out are problems with a line', () => {
  const root = project({
    'org/a.org': block('../x.sh'),
    'org/b.org': `\n${block('../x.sh')}${block('/tmp/x.sh')}${block('../.git/hooks/x')}`,
    'org/c.org': block('b.org'),
  })
  const documents = ['a', 'b', 'c'].map((name) => join(root, `org/${name}.org`))
  const { problems, targets } = readBook(root, documents)
  expect(targets.map(({ path }) => path)).toEqual([join(root, 'x.sh')])
  expect(problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '2 x.sh is already described by org/a.org:1',
    expect.stringContaining('5 /tmp/x.sh is outside'),
    expect.stringContaining('.git/hooks/x is outside'),
    '1 org/b.org is itself a document',
  ])
})

test('a leftover in an owned folder is stale', () => {
  const root = project({
    'org/a.org': block('../src/a.sh'),
    'src/a.sh': 'a\n',
    'src/deep/old.sh': 'a\n',
    'own/hand.sh': 'a\n',
  })
  symlinkSync(join(root, 'own'), join(root, 'src/link'))
  const book = readBook(root, [join(root, 'org/a.org')])
  const settings = { root, sources: ['org'], owns: ['s*'] }
  expect(staleFiles(settings, book)).toEqual([
    join(root, 'src/deep/old.sh'),
    join(root, 'src/link'),
  ])
})

test.each([
  ['src/*', ['src/a.b.sh', 'src/deep/a.sh']],
  ['*/deep', ['src/deep/a.sh']],
  ['./src/a.*.sh', ['src/a.b.sh']],
  ['src/**/a.sh', ['src/deep/a.sh']],
  ['{src,none}/deep', ['src/deep/a.sh']],
  ['none/*', []],
])('%s is owned', (pattern, paths) => {
  const root = project({ 'src/a.b.sh': '', 'src/deep/a.sh': '', 'src/.hidden': '', aXbYsh: '' })
  const stale = staleFiles({ root, sources: [], owns: [pattern] }, readBook(root, []))
  expect(stale).toEqual(paths.map((path) => join(root, path)))
})
