import { expect, test } from 'vitest'
import { entryLists, itemsOf } from '../../src/edit/entry-lists.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

test('the lists of an entry are below its metadata', () => {
  const text = '* a\n:LOGBOOK:\n- b\n:END:\n#+begin_quote\n- c\n  - d\n#+end_quote\n- e\n'
  const [headline] = [...headlines(parse(text))]
  const lists = entryLists(headline!)
  expect(lists.map((list) => [...itemsOf(list)].map((item) => item.source.trim()))).toEqual([
    ['- c\n  - d', '- d'],
    ['- e'],
  ])
  const [empty] = [...headlines(parse('* a\n:LOGBOOK:\n- b\n:END:\n'))]
  expect(() => entryLists(empty!)).toThrow('no list')
})
