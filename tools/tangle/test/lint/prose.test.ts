import { expect, test } from 'vitest'
import { bareBlocks, longBlocks, proseRatio, untitled } from '../../src/lint/prose.ts'
import type { LintBook, Mark } from '../../src/lint/rule.ts'
import { parsedDocument } from '../../src/project/parsed-document.ts'

const document = (text: string) => parsedDocument('/book/a.org', text)
const lines = (marks: Iterable<Mark>) => [...marks].map(({ line, message }) => `${line} ${message}`)
const none = {} as LintBook

const block = '#+begin_src sh\na\n#+end_src\n'

test('a block without a word above it is bare', () => {
  const text = `* One\n${block}\n${block}- so:\n${block}\n* Two\n#+name: x\n${block}`
  expect(lines(bareBlocks(document(text)))).toEqual([
    '2 no prose between this block and its heading',
    '6 no prose between this block and the block before it',
    '16 no prose between this block and its heading',
  ])
  expect(lines(bareBlocks(document(`Words.\n\n${block}`)))).toEqual([])
  const imports = "#+begin_src ts\nimport 'a'\n#+end_src\n"
  expect(lines(bareBlocks(document(`* One\n${imports}\n${block}`)))).toHaveLength(1)
})

test('a block of more lines than allowed is long', () => {
  const text = (body: string) => document(`\n#+begin_src sh\n${body}\n#+end_src\n`)
  expect(lines(longBlocks(text('a\nb\nc\nd'), none, { max: 3 }))).toEqual([
    '2 a block of 4 lines, over 3',
  ])
  expect(lines(longBlocks(text('a\nb\nc'), none, { max: 3 }))).toEqual([])
})

test('a document with more code than words is told', () => {
  const text = `One two three four five six.\n\n#+begin_src sh :tangle x\na\nb\nc\n#+end_src\n${block}`
  const book = { book: { targets: [{ document: '/book/a.org' }] } } as unknown as LintBook
  expect(lines(proseRatio(document(text), book, { min: 2 }))).toEqual([])
  expect(lines(proseRatio(document(text), book, { min: 2.5 }))).toEqual([
    '1 2.0 words to a line of code, under 2.5',
  ])
})

test('a document needs a title and a description', () => {
  expect(lines(untitled(document('#+title:\n#+description: d\n')))).toEqual([
    '1 no #+title: in this document',
  ])
  expect(lines(untitled(document('#+TITLE: t\n\n* a\n#+description: d\n')))).toHaveLength(1)
})
