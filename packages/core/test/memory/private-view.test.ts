import fc from 'fast-check'
import { expect, test } from 'vitest'
import { originalOf, sightOf } from '../../src/memory/private-view.ts'
import { ObjectStore } from '../../src/memory/store.ts'

const health = `* Walks
<<river>> The path along the river.
* Doctor :private:
:PROPERTIES:
:ID: d0c-1234
:CUSTOM_ID: knee
:END:
The <<<kneecap>>> hurts. <<x-ray>>
#+name: results
| pain | 7 |
** Second visit
`

function storeWith(files: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [path, content] of Object.entries(files)) store.ingestFile(path, content)
  return store
}

const rules = { 'health.org': health, 'diary.org': '#+filetags: :private:\n* Day\n' }

test.each([
  ['See [[id:d0c-1234][my knee]].', 'See [private].'],
  ['See [[id:d0c-1234]].', 'See [private].'],
  ['See <id:d0c-1234> and id:d0c-1234.', 'See [private] and [private].'],
  ['[[file:health.org::*Doctor][my knee]]', '[private]'],
  ['[[file:health.org::*doctor  ]]', '[private]'],
  ['[[./health.org::#knee][my knee]]', '[private]'],
  ['[[file:health.org::x-ray]]', '[private]'],
  ['[[file:health.org::results][pain]]', '[private]'],
  ['[[file:health.org::12][a line]]', '[private]'],
  ['[[file:health.org::the kneecap hurts]]', '[private]'],
  ['[[file:~/org/health.org::*Second%20visit][x]]', '[private]'],
  ['[[file:health.org][all of it]]', '[[file:health.org][all of it]]'],
  ['[[file:health.org::*Walks]]', '[[file:health.org::*Walks]]'],
  ['[[file:health.org::river]]', '[[file:health.org::river]]'],
  ['[[file:diary.org][what I wrote]]', '[private]'],
  ['[[../notes/diary.org::*Day][x]]', '[private]'],
  ['[[file:diary.org_archive]] and diary.org', '[private] and [private]'],
  ['[[file:taxes.org.gpg][the taxes]]', '[private]'],
  [
    '[[https://example.org/a][diary\nof two lines]]',
    '[[https://example.org/a][diary\nof two lines]]',
  ],
  ['[[id:d0c-1234][of\ntwo lines]]', '[private]\n'],
  ['[[https://example.org][id:d0c-1234]]', '[private]'],
  ['#+include: "diary.org::*Day" :lines 1-2', '#+include: [private] :lines 1-2'],
  ['#+transclude: [[id:d0c-1234]]', '#+transclude: [private]'],
  [':BLOCKER: ids(d0c-1234)', ':BLOCKER: ids([private])'],
  ['[[elisp:(org-id-goto "d0c-1234")][go]]', '[private]'],
])('%j is shown as %j', (line, expected) => {
  const store = storeWith({ ...rules, 'a.org': `* A\n${line}\n` })
  const shown = [...sightOf(store).objects()].find(
    ({ file, type }) => file === 'a.org' && type === 'headline',
  )
  expect(shown?.content).toBe(`${expected}\n`)
})

test.each([
  ['[[*Doctor]] [[Doctor][him]] [[#knee]]', '[private] [private] [private]'],
  ['[[x-ray]] [[results]] [[*Walks]] [[river]]', '[private] [private] [[*Walks]] [[river]]'],
  ['My kneecap, my Kneecap, my kneecaps.', 'My [private], my [private], my kneecaps.'],
  ['#+call: results(x=1)', '#+call: [private](x=1)'],
  ['<<results>>', '<<[private]>>'],
])('in the same file %j is %j', (line, expected) => {
  const store = storeWith({ 'health.org': `* Public\n${line}\n${health}` })
  const notes = [...sightOf(store).objects()]
  expect(notes.find(({ title }) => title === 'Public')?.content).toBe(`${expected}\n`)
})

test('a sight follows the store', () => {
  const drawer = ':PROPERTIES:\n:SEE: [[id:d0c-1234][knee]]\n:END:\n'
  const store = storeWith({ 'a.org': `* About [[id:d0c-1234][knee]]\n${drawer}` })
  const about = () => [...sightOf(store).objects()].find(({ file }) => file === 'a.org')!
  const first = [...sightOf(store).objects()]
  expect(first).toEqual([...store.objects()])
  expect(first.every((object) => store.get(object.id) === object)).toBe(true)
  store.ingestFile('health.org', health)
  const note = [...sightOf(store).objects()].find(
    ({ level, file }) => level === 1 && file === 'a.org',
  )
  expect(note).toMatchObject({ title: 'About [private]', attributes: { SEE: '[private]' } })
  expect(about()).toBe(store.get(about().id))
  expect(originalOf(note!)).toBe(store.get(note!.id))
  const sight = sightOf(store)
  store.ingestFile('b.org', '* Other\n')
  expect(sightOf(store)).toBe(sight)
  store.ingestFile('health.org', health.replace(' :private:', ''))
  expect([...sightOf(store).objects()]).toEqual([...store.objects()])
  expect(() => sight.shown({ ...note!, private: true })).toThrow(RangeError)
})

test('any text can be cleaned', () => {
  const sight = sightOf(storeWith(rules))
  const piece = fc.constantFrom(
    '[[',
    ']]',
    '][',
    'id:d0c-1234',
    'file:diary.org',
    '\n',
    '::',
    '*',
    ' ',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((all) => all.join(' ')),
  )
  fc.assert(
    fc.property(text, (any) => {
      const clean = sight.text(any, 'health.org')
      expect(clean.split('\n')).toHaveLength(any.split('\n').length)
      expect(clean).not.toContain('d0c-1234')
      expect(sight.text(clean, 'health.org')).toBe(clean)
    }),
  )
})

test.each([
  ['| Walks | 1:00 |\n| \\_  HIV | 1:00 |', '| Walks | 1:00 |\n| [private] |'],
  ['| a.org | *Doc...* | 0:10 |\n| x |', '| [private] |\n| x |'],
  ['| TODO [#A] HIV | x |', '| [private] |'],
  [': hiv\n: other', '[private]\n: other'],
  ['- HIV\n- HIV in a sentence', '[private]\n- HIV in a sentence'],
])('of what Org has made, %j is shown as %j', (made, expected) => {
  const files = { 'b.org': '* Doctor :private:\n** HIV\n', 'c.org': '' }
  for (const [begin, end] of [
    ['#+begin: clocktable :scope agenda', '#+end:'],
    ['#+RESULTS: x', ''],
  ]) {
    const text = (lines: string) => `* A\n${begin}\n${lines}\n${end}\n\n| HIV |\n`
    const store = storeWith({ ...files, 'a.org': text(made) })
    const note = [...sightOf(store).objects()].find(({ title }) => title === 'A')
    expect(`* A\n${note?.content}`).toBe(text(expected))
  }
})
