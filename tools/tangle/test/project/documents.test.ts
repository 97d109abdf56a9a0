import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findDocuments, isOutside, staleFiles } from '../../src/project/documents.ts'

function project(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'documents-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

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

test.each([
  ['/book/b.ts', false],
  ['/book', false],
  ['/bookshelf/b.ts', true],
  ['/book/.github/b.yml', false],
  ['/book/.git/hooks/pre-commit', true],
  ['/book/sub/.git/config', true],
  ['/b.ts', true],
])('%s is outside: %s', (path, isSo) => {
  expect(isOutside('/book', path)).toBe(isSo)
})

test('a leftover in an owned folder is stale', () => {
  const root = project({
    'src/a.sh': 'a\n',
    'src/deep/old.sh': 'a\n',
    'own/hand.sh': 'a\n',
  })
  symlinkSync(join(root, 'own'), join(root, 'src/link'))
  const book = { targets: [{ path: join(root, 'src/a.sh') }] }
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
  const stale = staleFiles({ root, sources: [], owns: [pattern] }, { targets: [] })
  expect(stale).toEqual(paths.map((path) => join(root, path)))
})
