import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'
import { backlinks, brokenLinks, Indexes, isOrphan, linksFrom } from '../../src/search/indexes.ts'

const garden = `* Garden :outside:
:PROPERTIES:
:ID: garden
:Area: 12
:END:
** TODO Sow
SCHEDULED: <2026-03-01 Sun>
See [[id:kitchen]].
`
const house = `* Kitchen
:PROPERTIES:
:ID: kitchen
:END:
The [[file:garden.org::*Garden][garden]], and [[id:nowhere]].
`

function memory(files: Record<string, string> = { 'garden.org': garden, 'house.org': house }) {
  const store = new ObjectStore()
  for (const [path, text] of Object.entries(files)) store.ingestFile(path, text)
  return { store, indexes: new Indexes(store) }
}

test('links are found from both ends', () => {
  const { store, indexes } = memory()
  const titles = (notes: Iterable<{ title: string }>) => [...notes].map(({ title }) => title)
  const [kitchen, plot] = [indexes.get('kitchen')!, indexes.get('garden')!]
  expect(titles(backlinks(indexes, kitchen))).toEqual(['Sow'])
  expect(titles(backlinks(indexes, plot))).toEqual(['Kitchen'])
  expect(titles(linksFrom(indexes, kitchen))).toEqual(['Garden'])
  expect(brokenLinks(indexes, kitchen)).toEqual(['id:nowhere'])
  expect([...indexes.notes()].filter((note) => isOrphan(indexes, note))).toEqual([])
  store.ingestFile('new.org', '* New\n:PROPERTIES:\n:ID: nowhere\n:END:\n')
  store.removeFile('garden.org')
  expect(brokenLinks(indexes, indexes.get('kitchen')!)).toEqual(['file:garden.org::*Garden'])
  expect(titles(backlinks(indexes, indexes.get('nowhere')!))).toEqual(['Kitchen'])
})

const texts = [garden, house, '* TODO Sow\n', '* Sow :outside:\n** DONE Reap\n[[*Sow]]\n', '']
const steps = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom('a.org', 'b.org', 'garden.org'), fc.constantFrom(...texts)),
    fc.constantFrom('remove', 'keep', 'back', 'ask'),
  ),
  { maxLength: 12 },
)

function everything(indexes: Indexes): unknown {
  const words = indexes.words('').map((word) => [word, idsOf(indexes.having(word))])
  return [[...indexes.notes()].map(({ id, line }) => [id, line]), words]
}

const idsOf = (notes: Iterable<{ id: string }>) => [...notes].map(({ id }) => id).sort()

test('indices that were kept are as indices that are new', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const { store, indexes } = memory({})
      let kept = store.snapshot()
      for (const step of given) {
        if (typeof step !== 'string') store.ingestFile(...step)
        else if (step === 'remove') store.removeFile('a.org')
        else if (step === 'keep') kept = store.snapshot()
        else if (step === 'back') store.restore(kept)
        else everything(indexes)
      }
      expect(everything(indexes)).toEqual(everything(new Indexes(store)))
    }),
  )
})

test('what is indexed is indexed in pieces', () => {
  const { indexes } = memory()
  expect([indexes.catchUp(-1), indexes.catchUp(-1), indexes.catchUp(0)]).toEqual([
    false,
    true,
    true,
  ])
})
