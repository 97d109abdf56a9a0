import { expect, test } from 'vitest'
import { elementById, elementsOfStore } from '../../src/memory/named-elements.ts'
import { ObjectStore } from '../../src/memory/store.ts'

const text = `#+name: top
| a |

* Costs
#+name: costs
| beans | 3 |

Some <<<compost>>> and [[costs]].
#+name: sum
#+begin_src emacs-lisp
(+ 1 2)
#+end_src
* Other
#+begin_example
#+name: none
#+end_example
`

function storeOf(given: string): ObjectStore {
  const store = new ObjectStore()
  store.ingestFile('a.org', given)
  return store
}

test('blocks, tables and radio targets have objects when asked for', () => {
  const store = storeOf(text)
  const found = [...elementsOfStore(store)]
  expect(found.map(({ kind, name, line }) => [kind, name, line])).toEqual([
    ['table', 'top', 1],
    ['table', 'costs', 5],
    ['radio-target', 'compost', 8],
    ['src-block', 'sum', 9],
  ])
  for (const { begin, end, content } of found) expect(text.slice(begin, end)).toBe(content)
  expect(found[0]?.note).toBe('file:a.org')
  expect(found[1]?.content).toBe('#+name: costs\n| beans | 3 |')
})

test.each([
  ['a sibling edit', (given: string) => given.replace('Some', 'Much more'), true],
  [
    'a name in front',
    (given: string) => given.replace('#+name: costs', '#+name: b\n| x |\n\n#+name: costs'),
    true,
  ],
  [
    'a note in front',
    (given: string) => given.replace('* Costs', '* New\nnew words\n* Costs'),
    true,
  ],
  ['another title', (given: string) => given.replace('* Costs', '* Expenses'), true],
  [
    'a move',
    (given: string) =>
      given.replace('* Other', '* Far').replace(/(\* Costs[^*]*)(\* Far.*)/s, '$2$1'),
    true,
  ],
  ['an edit of its own', (given: string) => given.replace('3', '4'), false],
])('the id outlives %s', (_name, change, isSame) => {
  const store = storeOf(text)
  const [before] = elementsOfStore(store, 'Costs')
  const after = change(text)
  expect(after).not.toBe(text)
  store.ingestFile('a.org', after)
  const found = elementById(store, before!.id)
  expect(after.slice(found!.begin, found!.end)).toBe(found!.content)
  expect(found!.hash === before!.hash).toBe(isSame)
})

test('a name that stands twice, and an id that is none', () => {
  const note = '#+name: x\n| 1 |\n\n#+name: x\n| 2 |\n'
  const store = storeOf(`* A\n:PROPERTIES:\n:ID: a#b\n:END:\n${note}`)
  const ids = [...elementsOfStore(store)].map(({ id }) => id)
  expect(ids).toEqual(['a#b#table:x', 'a#b#table:x~1'])
  expect(ids.map((id) => elementById(store, id)?.content.at(-3))).toEqual(['1', '2'])
  for (const id of ['a#b', 'a#b#table:y', '#', 'none#table:x']) {
    expect(elementById(store, id)).toBeNull()
  }
})
