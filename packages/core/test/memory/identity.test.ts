import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchSections } from '../../src/memory/identity.ts'
import { ObjectStore } from '../../src/memory/store.ts'

/** The ids of all headlines in the order of the text. */
function ids(store: ObjectStore): string[] {
  return store.query({ file: 'a.org', type: 'headline' }).map(({ id }) => id)
}

/** For each headline of the text after, the place of the same one in the text before, or -1. */
function sameAfter(before: string, after: string): number[] {
  const store = new ObjectStore()
  store.ingestFile('a.org', before)
  const known = ids(store)
  store.ingestFile('a.org', after)
  return ids(store).map((id) => known.indexOf(id))
}

test.each([
  ['a sibling is put in front', '* A\na\n* B\nb\n', '* C\nc\n* A\na\n* B\nb\n', [-1, 0, 1]],
  ['a sibling goes', '* A\na\n* B\nb\n', '* B\nb\n', [1]],
  ['two change places', '* A\na\n* B\nb\n', '* B\nb\n* A\na\n', [1, 0]],
  ['a subtree moves', '* A\n** X\nx\n** Y\n* B\n', '* A\n* B\n** X\nx\n** Y\n', [0, 3, 1, 2]],
  ['it is demoted', '* A\n* B\nb\n', '* A\n** B\nb\n', [0, 1]],
  ['a title is new', '* A\nlong text\n* B\n', '* Z\nlong text\n* B\n', [0, 1]],
  ['a title above is new', '* A\n** X\nx\n', '* Z\n** X\nx\n', [0, 1]],
  ['an empty one is named anew', '* A\n* B\n* C\n', '* A\n* Z\n* C\n', [0, 1, 2]],
  ['a text is new', '* A\na\n* B\nb\n', '* A\nother\n* B\nb\n', [0, 1]],
  ['twins: one more in front', '* M\n1\n* M\n2\n', '* M\n0\n* M\n1\n* M\n2\n', [-1, 0, 1]],
  ['twins: the first is edited', '* M\nx\n* M\nx\n', '* M\ny\n* M\nx\n', [0, 1]],
  ['a new title and a few words', '* A\none two three four\n', '* Z\none two three five\n', [0]],
  ['done', '* TODO A\na\n* B\n', '* DONE A\nCLOSED: [2026-11-21 Sat]\na\n* B\n', [0, 1]],
])('%s', (_name, before, after, expected) => {
  expect(sameAfter(before, after)).toEqual(expected)
})

test('a new note is a new one', () => {
  expect(sameAfter('* A\napples pears\n', '* B\nships and ports\n')).toEqual([-1])
  const store = new ObjectStore()
  for (const text of ['* A\nx\n', '* B\nx\n', '* A\ny\n* B\nx\n']) store.ingestFile('a.org', text)
  expect(new Set(ids(store)).size).toBe(2)
})

const few = fc.constantFrom('a', 'b', '')
const section = fc.record({ title: few, content: few, up: fc.nat(3) })
const outline = fc.array(section, { maxLength: 15 }).map((list) =>
  [{ title: '', content: '', up: 0 }, ...list].map(({ title, content, up }, at) => ({
    written: null,
    title,
    head: `* ${title}\n`,
    content,
    hash: `${at}`,
    parent: at === 0 ? -1 : Math.max(0, at - 1 - up),
  })),
)

test('nobody has two partners', () => {
  fc.assert(
    fc.property(outline, outline, (before, after) => {
      const found = matchSections(before, after).filter((at) => at !== null)
      expect(new Set(found).size).toBe(found.length)
      expect(matchSections(before, before)).toEqual(before.map((_, at) => at))
    }),
  )
})
