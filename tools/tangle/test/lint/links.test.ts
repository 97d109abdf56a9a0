import { expect, test } from 'vitest'
import {
  deadLinks,
  deadReferences,
  duplicateIds,
  missingIds,
  unusedBlocks,
} from '../../src/lint/links.ts'
import type { FileMark, LintBook, Mark } from '../../src/lint/rule.ts'
import { parsedDocument } from '../../src/project/parsed-document.ts'

function library(texts: Record<string, string>): LintBook {
  const documents = Object.entries(texts).map(([name, text]) =>
    parsedDocument(`/book/${name}`, text),
  )
  return {
    project: { root: '/book', sources: ['.'], owns: [] },
    documents,
    book: { documents: [], targets: [], problems: [], warnings: [] },
    stale: [],
    document: (file) => documents.find((document) => document.file === file) ?? null,
  }
}

const first = (book: LintBook) => book.documents[0]!
const lines = (marks: Iterable<Mark | FileMark>) =>
  [...marks].map(({ line, column, message }) => `${line}:${column} ${message}`)

test('a link has to lead somewhere', () => {
  const book = library({
    'a.org': `[[file:b.org][b]] [[file:c.org][c]]
[[file:b.org::*The  plan]] [[file:b.org::*A plan]]
[[file:b.org::#p]] [[file:b.org::#q]] [[file:b.org::12]]
[[id:i-1]] [[id:i-2]]
[[spot]] [[a block]] [[nothing]]
[[(loop)]] [[(pool)]] https://x.org/nothing [[~/a.org]]
#+begin_src sh
true # (ref:loop)
#+end_src
<<spot>> a[fn:1] b[fn:2]

#+name: a block
: x

[fn:1] The note.
`,
    'b.org': '* TODO The plan [1/2]\n:PROPERTIES:\n:CUSTOM_ID: p\n:ID: i-1\n:END:\n',
  })
  expect(lines(deadLinks(first(book), book))).toEqual([
    '1:19 there is no file c.org',
    '2:28 no headline is called A plan',
    '3:20 no headline has the CUSTOM_ID q',
    '4:12 no headline has the ID i-2',
    '5:22 no target, name or headline is called nothing',
    '6:12 no line has the label (ref:pool)',
    '10:19 no footnote is called 2',
  ])
})

test('an ID stands for one headline', () => {
  const headline = (key: string, id: string) => `* h\n:PROPERTIES:\n:${key}: ${id}\n:END:\n`
  const book = library({
    'a.org': headline('CUSTOM_ID', 'x') + headline('CUSTOM_ID', 'x') + headline('ID', 'y'),
    'b.org': headline('CUSTOM_ID', 'x') + headline('ID', 'y'),
  })
  expect([...duplicateIds(book)]).toEqual([
    { file: '/book/a.org', line: 7, column: 1, message: 'another headline has the CUSTOM_ID x' },
    { file: '/book/b.org', line: 7, column: 1, message: 'another headline has the ID y' },
  ])
  expect(lines(missingIds(first(book)))).toEqual(['9:1 this headline has no CUSTOM_ID'])
})

test('a block that has only a name has to be referred to', () => {
  const named = (name: string) => `#+name: ${name}\n#+begin_src sh\na\n#+end_src\n`
  const book = library({
    'a.org': `${['used', 'called', 'value', 'linked', 'lost'].map(named).join('')}
#+begin_src sh :noweb yes :var x=value()
<<used>>
#+end_src
#+call: called()
[[linked]]
`,
  })
  expect(lines(unusedBlocks(first(book)))).toEqual(['18:1 nothing refers to the block lost'])
})

test('a reference that nothing answers has a place', () => {
  const book = library({ 'a.org': '#+begin_src sh :tangle x\n  <<nobody>>\n#+end_src\n' })
  const message = '<<nobody>> names no block'
  book.book.warnings.push({ code: 'reference', file: '/book/a.org', line: 2, message })
  expect([...deadReferences(book)]).toEqual([{ file: '/book/a.org', line: 2, column: 3, message }])
})
