import { expect, test } from 'vitest'
import { codebookOf } from '../../src/code/codebook.ts'
import { fragmentsOf, references } from '../../src/code/fragments.ts'
import { makePage } from '../../src/pages/pages.ts'

const block = (header: string, body: string) => `#+begin_src sh ${header}\n${body}\n#+end_src\n`

test('a reference stands for all blocks of its name', () => {
  const text = [
    block(':noweb yes', 'a <<own>>\n<<shared>>\n<<none>>'),
    block('', 'x <<own>>'),
    `#+name: own\n${block('', 'one')}`,
    block(':noweb-ref shared', 'two'),
    block(':noweb-ref shared', 'three'),
  ].join('\n')
  const page = makePage('/b', '/b/a.org', text)
  const atlas = { root: '/b', targets: [], symbols: [], others: [] }
  const book = codebookOf([page], atlas, '/b', new Map())
  const fragments = fragmentsOf(book)
  const [first, second, own] = book.blocks.get(page)!
  const found = references(fragments, first!)
  expect(found.map(({ at, line, isAlone, blocks }) => [at, line, isAlone, blocks.length])).toEqual([
    [2, 0, false, 1],
    [10, 1, true, 2],
  ])
  expect(references(fragments, second!)).toEqual([])
  expect(fragments.users.get(own!)).toEqual([first])
})
