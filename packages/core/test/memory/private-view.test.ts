import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  hasPrivateTag,
  lastClosing,
  originalOf,
  privateTagsIn,
  sightOf,
} from '../../src/memory/private-view.ts'
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

test.each([
  [['work', 'Private'], {}, true],
  [['work'], {}, false],
  [[], { ARCHIVE_ITAGS: 'home private' }, true],
  [['secret'], {}, false],
  [['Crypt'], {}, true],
  [[], { PRIVATE: 't' }, true],
  [[], { PRIVATE: '' }, true],
  [[], { 'PRIVATE+': 't' }, true],
  [[], { PRIVATE: 'nil', 'PRIVATE+': 't' }, true],
  [[], { PRIVATE: 'nil' }, false],
])('%j with %j: %s', (tags, attributes, expected) => {
  expect(hasPrivateTag({ tags, attributes })).toBe(expected)
  const isNamed =
    tags[0] === 'secret' ||
    (expected && Object.keys(attributes).some((key) => key.startsWith('PRIVATE')))
  expect(hasPrivateTag({ tags, attributes }, ['secret'])).toBe(isNamed)
})

test.each([
  ['#+tags: [ Private : Diary medical(m) ] other', ['private', 'diary', 'medical']],
  ['#+TAGS: { private : body } work\n#+TAGS: [ body : knee ]', ['private', 'body', 'knee']],
  ['#+TAGS: [ private(p) : {me_.+} ]', ['private', '{me_.+}']],
  ['#+TAGS: [ work : private ] private diary', ['private']],
  ['no tags', ['private']],
])('%j makes private: %j', (text, expected) => {
  const tags = privateTagsIn([text], ['private'])
  expect(tags).toEqual(expected)
  expect(hasPrivateTag({ tags: ['ME_too'], attributes: {} }, tags)).toBe(text.includes('{me'))
})

test('a group, a property and a drawer of the file close notes', () => {
  const drawer = ':PROPERTIES:\n:PRIVATE: t\n:END:\n'
  const store = storeWith({
    'a.org': '#+tags: [ private : diary ]\n* Open\n* Day :diary:\n** Below\n',
    'b.org': `* Open too\n* Closed\n${drawer}** Below that\n`,
    'c.org': `${drawer}* Whole\n`,
    'd.org': '#+property: PRIVATE t\n* Whole, too\n',
    'e.org': '* Added\n:PROPERTIES:\n:PRIVATE+: t\n:END:\n',
  })
  const titles = [...sightOf(store).objects()].map(({ title }) => title)
  expect(titles).toEqual(['a.org', 'Open', 'b.org', 'Open too', 'e.org'])
  expect(store.query({ type: 'headline' }).find(({ title }) => title === 'Below')?.tags).toEqual([
    'diary',
    'private',
  ])
})

test('a note that becomes private is counted', () => {
  const store = storeWith({ 'a.org': '* A\n** B\nbody\n', 'b.org': '* P :private:\n** Q\n' })
  const steps: [string, string][] = [
    ['a.org', '* A\n** B :private:\nbody\n'],
    ['a.org', '* A\n** B\nbody\n'],
    ['a.org', '* A\n'],
    ['b.org', '* P :private:\n** Q\n** B\nbody\n'],
    ['c.org', '* C\ntext\n'],
    ['b.org', '* P :private:\n** Q\n** B\nbody\n** C\ntext\n'],
    ['c.org', ''],
  ]
  const counts = steps.map(([path, text]) => {
    store.ingestFile(path, text)
    return store.closings
  })
  expect(counts).toEqual([1, 1, 1, 2, 2, 2, 3])
})

test('the last closing is in the history', () => {
  let now = 0
  const store = new ObjectStore({ now: () => new Date(++now * 1_000) })
  const note = (tags: string) => `* A${tags}\n:PROPERTIES:\n:ID: a\n:END:\n`
  store.ingestFile('b.org', '* B :private:\n')
  expect(lastClosing(store)).toBe(0)
  for (const tags of ['', ' :private:', ' :x:', ' :x:private:'])
    store.ingestFile('a.org', note(tags))
  const changes = store.history.changes('a')
  expect(changes).toHaveLength(4)
  expect(lastClosing(store)).toBe(changes[3]?.at)
})

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
