import { expect, test } from 'vitest'
import { hasPrivateTag, lastClosing, privateTagsIn } from '../../src/memory/private-tags.ts'
import { sightOf } from '../../src/memory/private-view.ts'
import { ObjectStore } from '../../src/memory/store.ts'

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

test.each([
  ['note.org', 'note (conflicted copy 2026-11-22).org'],
  ['note (conflicted copy 2026-11-22).org', 'note.org'],
])('%s is read before %s', (...order) => {
  const store = new ObjectStore()
  const texts: Record<string, string> = { 'note.org': '* Day :private:\nold\n* B\n' }
  for (const path of order) store.ingestFile(path, texts[path] ?? '* Day\nold\n* B\n')
  const seen = () => [...sightOf(store).objects()].map(({ title }) => title)
  expect(seen()).toEqual(['note.org', 'B'])
  store.ingestFile('note.org', '* Day\n')
  expect(seen().filter((title) => title === 'Day').length).toBe(2)
  store.ingestFile('note.org', '* Day :private:\n')
  expect(seen()).toEqual(['note.org'])
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
