import { expect, test } from 'vitest'
import { codebookOf, named } from '../../src/code/codebook.ts'
import type { Atlas, AtlasSymbol } from '../../src/code/symbol-index.ts'
import { makePage } from '../../src/pages/pages.ts'

const gate = `* Gates
#+begin_src ts :tangle ../src/gate.ts
export const open = 1
#+end_src
* Secret
#+begin_src ts :tangle ../src/gate.ts
export const key = open
#+end_src
`
const use = `#+name: main
#+begin_src ts :tangle ../test/use.test.ts
open + open
#+end_src
`
const shown = gate.replace(/\* Secret.*/s, (part) => part.replace(/./g, ''))
const pages = [
  makePage('/b/org', '/b/org/gate.org', shown),
  makePage('/b/org', '/b/org/a/use.org', use),
]
const at = (text: string, words: string) => text.indexOf(words)
const symbol = (name: string, offset: number): AtlasSymbol => ({
  name,
  kind: 'variable',
  exported: true,
  target: 0,
  offset,
  signature: `const ${name}`,
  summary: null,
})
const atlas: Atlas = {
  root: '/b',
  symbols: [symbol('open', 13), symbol('key', 36)],
  others: [],
  targets: [
    {
      path: 'src/gate.ts',
      document: 'org/gate.org',
      text: 'export const open = 1\n\nexport const key = open\n',
      runs: [0, at(gate, 'export'), 1, 21, 8, 0, 23, at(gate, 'export const key'), 1, 46, 90, 0],
      uses: [13, 4, 0, 23, 3, 1, 6, 4, 0],
    },
    {
      path: 'test/use.test.ts',
      document: 'org/a/use.org',
      text: 'open + open\n',
      runs: [0, at(use, 'open +'), 1, 11, 14, 0],
      uses: [0, 4, 0, 7, 4, 0],
    },
  ],
}
const originals = new Map([['/b/org/gate.org', gate]])
const book = codebookOf(pages, atlas, '/b', originals)

test('a name leads to where it is explained, and what is not shown is not there', () => {
  expect([...book.explained.values()].map(({ id, from }) => [from.page.url, id])).toEqual([
    ['gate.html', '_def-open'],
  ])
  const [{ uses } = { uses: [] }] = book.explained.values()
  expect(uses.map(({ from, isTest }) => [from.id, isTest])).toEqual([
    ['_name-main', true],
    ['_name-main', true],
  ])
  const [block] = book.blocks.get(pages[1]!)!
  expect(block?.marks).toEqual([
    { at: 0, length: 4, symbol: 0 },
    { at: 7, length: 4, symbol: 0 },
  ])
})

test('a line of a file leads to its block, unless that is not shown', () => {
  expect([...book.files.values()]).toEqual(['src/src/gate.ts.html', 'src/test/use.test.ts.html'])
  const stretches = book.stretches.get(atlas.targets[0]!)!
  expect(stretches.map(({ at, from }) => [at, from?.id ?? null])).toEqual([
    [0, 'gates--1'],
    [23, null],
  ])
  const [first] = book.blocks.get(pages[0]!)!
  expect([...first!.lines.values()]).toEqual([1])
})

test('a name in a sentence is looked for nearby first', () => {
  expect(named(book, 'open', pages[1]!)?.id).toBe('_def-open')
  expect(named(book, 'key', pages[0]!)).toBeNull()
  expect([book.words().has('open'), book.words().has('key')]).toEqual([true, false])
})
