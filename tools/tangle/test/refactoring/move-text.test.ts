import { expect, test } from 'vitest'
import { applyEdits } from '../../src/detangle/edits.ts'
import { parsedDocument } from '../../src/project/parsed-document.ts'
import {
  linkMoves,
  markdownMoves,
  mentionMoves,
  patternsLost,
} from '../../src/refactoring/move-text.ts'

const after = new Map([
  ['/book/org/a.org', '/book/org/room/z.org'],
  ['/book/src/a.ts', '/book/src/room/z.ts'],
  ['/book/org/pictures', '/book/org/room/pictures'],
  ['/book/org/pictures/p.png', '/book/org/room/pictures/p.png'],
])

function moved(file: string, text: string, titles = new Map<string, [string, string]>()): string {
  return applyEdits(text, linkMoves(parsedDocument(file, text), after, titles))
}

test('links, targets and included files are counted from the new folder', () => {
  const text = `#+title: One
#+property: header-args:typescript :tangle ../src/a.ts :mkdirp yes
#+property: header-args:sh :tangle "../bin/a b.sh"
#+setupfile: setup.org
#+include: "b.org::*Two" :lines "1-2"
[[file:b.org::*Two][:tangle b.sh]] [[./b.org]] [[file:pictures/p.png]] [[file:pictures/]]
[[https://x.org/b.org]] [[file:~/b.org]] [[*One]]
#+header: :tangle c.sh
#+begin_src sh :tangle no :var x=1
:tangle d.sh [[file:b.org]]
#+end_src
#+begin_src sh :tangle (concat "e" ".sh")
#+end_src
`
  expect(moved('/book/org/a.org', text)).toBe(`#+title: One
#+property: header-args:typescript :tangle ../../src/room/z.ts :mkdirp yes
#+property: header-args:sh :tangle "../../bin/a b.sh"
#+setupfile: ../setup.org
#+include: "../b.org::*Two" :lines "1-2"
[[file:../b.org::*Two][:tangle b.sh]] [[../b.org]] [[file:pictures/p.png]] [[file:pictures/]]
[[https://x.org/b.org]] [[file:~/b.org]] [[*One]]
#+header: :tangle ../c.sh
#+begin_src sh :tangle no :var x=1
:tangle d.sh [[file:b.org]]
#+end_src
#+begin_src sh :tangle (concat "e" ".sh")
#+end_src
`)
})

test('a new title is said by those who said the old one', () => {
  const titles = new Map<string, [string, string]>([
    ['/book/org/a.org', ['The floor', 'Turn mutex']],
  ])
  const links = '[[file:a.org][the floor]] [[file:a.org::*X][The floor]] [[file:a.org][it]]'
  expect(moved('/book/org/b.org', links, titles)).toBe(
    '[[file:room/z.org][turn mutex]] [[file:room/z.org::*X][Turn mutex]] [[file:room/z.org][it]]',
  )
  expect(moved('/book/org/a.org', '#+TITLE: The floor\n', titles)).toBe('#+TITLE: Turn mutex\n')
  expect(moved('/book/org/a.org', 'Text.\n', titles)).toBe('#+title: Turn mutex\nText.\n')
})

test('links in Markdown follow', () => {
  const text = '[a](org/a.org#x) ![b](org/pictures/p.png) [c](https://x.org/org/a.org)'
  expect(applyEdits(text, markdownMoves('/book/README.md', text, after))).toBe(
    '[a](org/room/z.org#x) ![b](org/room/pictures/p.png) [c](https://x.org/org/a.org)',
  )
})

test.each([
  ['See ~org/a.org~, or org/a.org.', 'See ~org/room/z.org~, or org/room/z.org.'],
  ['org/a.org:12 ./src/a.ts "src/a.ts"', 'org/room/z.org:12 ./src/room/z.ts "src/room/z.ts"'],
  ['the folder org/pictures/ and a/org/a.org', 'the folder org/room/pictures/ and a/org/a.org'],
  ['../src/a.ts /src/a.ts src/a.ts.map src/a.tsx', '../src/a.ts /src/a.ts src/a.ts.map src/a.tsx'],
])('%s', (text, expected) => {
  expect(applyEdits(text, mentionMoves('/book', text, after))).toBe(expected)
})

test('a pattern that no longer matches is told', () => {
  const text = '"ignore": [\n  "org/{a,b}.org", "src/**/*.ts"\n]'
  expect(patternsLost('/book', '/book/package.json', text, after)).toEqual([
    {
      message: 'org/{a,b}.org matches org/a.org and not org/room/z.org',
      places: [{ file: '/book/package.json', line: 2, column: null }],
    },
  ])
})
