import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readBook } from '../../src/blocks/book.ts'

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
