import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesBetween, checkStore, duplicateIds, ObjectStore } from '../../src/memory/store.ts'

const text = `#+title: House
#+filetags: :home:
Before.
* Garden :outside:
:PROPERTIES:
:ID: garden-1
:END:
** TODO [#A] Sow
SCHEDULED: <2026-03-01 Sun>
Beans.
** Sow
* Diary :Private:
** Dreams
`

function storeWith(files: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [path, content] of Object.entries(files)) store.ingestFile(path, content)
  return store
}

test('a file under another name has the same headlines', () => {
  const store = new ObjectStore()
  store.ingestFile('a.org', '* One\n', { by: 'agent', signal: 's', outside: true })
  store.ingestFile('b.org', '* Two\ntext\n')
  const [one, two] = ['One', 'Two'].map((title) => store.query({ text: title })[0]!.id)
  store.removeFile('a.org')
  store.ingestFile('sub/a.org', '* One\n')
  store.removeFile('b.org')
  store.ingestFile('b.org', '* Three\ntext\n')
  expect(store.get(one!)).toMatchObject({ file: 'sub/a.org', version: 1 })
  expect(store.get(one!)?.authorship).toEqual({ by: 'agent', signal: 's', outside: true })
  expect(store.get(two!)).toMatchObject({ title: 'Three', version: 2 })
  store.ingestFile('b.org', '')
  store.ingestFile('b.org', '* Four\ntext\n')
  expect(store.get(two!)).toMatchObject({ title: 'Four', version: 3 })
  expect(store.history.changes(one!).map(({ hash }) => hash === null)).toEqual([false, true, false])
})

test('changes between two moments', () => {
  const store = storeWith({ 'a.org': text, 'b.org': '* Other\n', 'c.org': '* Same\n' })
  const before = store.snapshot()
  store.ingestFile('a.org', text.replace('Beans', 'Peas'))
  store.removeFile('b.org')
  const titles = changesBetween(before, store.snapshot()).map((change) => [
    change.before?.title,
    change.after?.version,
  ])
  expect(titles).toEqual([
    ['House', 2],
    ['Garden', 2],
    ['Sow', 2],
    ['b.org', undefined],
    ['Other', undefined],
  ])
})

test('the check finds what was changed behind the store’s back', () => {
  const store = storeWith({ 'a.org': text })
  expect(checkStore(store)).toBeNull()
  const garden = store.get('garden-1')!
  Object.assign(store.history.version(garden.hash)!, { content: 'weeds\n' })
  expect(checkStore(store)).toMatchObject({ kind: 'changed', hash: garden.hash })
})

test('an id that is there twice is told with both places, and both are reachable', () => {
  const drawer = ':PROPERTIES:\n:ID: x\n:END:\n'
  const store = storeWith({ 'a.org': `* A\n${drawer}* B\n${drawer}`, 'b.org': `* C\n${drawer}` })
  const [duplicate] = duplicateIds(store)
  expect(duplicate?.notes.map(({ file, line }) => `${file}:${line}`)).toEqual([
    'a.org:1',
    'a.org:5',
    'b.org:1',
  ])
  expect(duplicate?.notes.map(({ id }) => store.get(id)?.title)).toEqual(['A', 'B', 'C'])
  store.removeFile('a.org')
  expect([store.get('x')?.title, duplicateIds(store)]).toEqual(['C', []])
})

test('a conflict copy is never the keeper of an id', () => {
  const text = (title: string) => `* ${title}\n:PROPERTIES:\n:ID: x\n:END:\n* Plain\n`
  const copy = 'a (conflicted copy 2026-11-22).org'
  const renamed = storeWith({ 'a.org': text('Mine') })
  const plain = renamed.query({ text: 'Plain' })[0]!.id
  renamed.removeFile('a.org')
  renamed.ingestFile(copy, text('Mine'))
  renamed.ingestFile('a.org', text('Theirs'))
  const first = storeWith({ [copy]: text('Mine'), 'a.org': text('Theirs') })
  for (const store of [renamed, first]) {
    expect(store.get('x')).toMatchObject({ file: 'a.org', title: 'Theirs' })
    expect(duplicateIds(store)).toEqual([])
    store.removeFile('a.org')
    expect(store.get('x')).toBeNull()
    expect(store.query({ text: 'Mine' })).toHaveLength(1)
  }
  renamed.ingestFile('a.org', text('Mine'))
  expect(renamed.get(plain)?.file).toBe('a.org')
})

test('only what was changed has another author, and a quotation has the mark', () => {
  const letter = 'Please send the parcel to the old mill before Sunday.'
  const store = storeWith({ 'a.org': '* One\nMine.\n** Two\nMine too.\n* Three\nAnd this.\n' })
  const by = { by: 'agent', signal: 't1', outside: false } as const
  const write = (body: string, author?: typeof by) =>
    store.ingestFile('a.org', `* One\nMine.\n** Two\n${body}\n* Three\nAnd this.\n`, author)
  const found = () =>
    store.query({ file: 'a.org' }).map(({ authorship: { by, outside } }) => [by, outside])
  write('The agent’s.', by)
  expect(found()).toEqual([
    ['owner', false],
    ['owner', false],
    ['agent', false],
    ['owner', false],
  ])
  expect(store.query({ by: 'agent' }).map(({ title }) => title)).toEqual(['Two'])
  write('Mine again.')
  expect(store.query({ by: 'agent' })).toEqual([])
  store.heard(letter)
  write(`Note: ${letter}`, by)
  expect(found()[2]).toEqual(['agent', true])
  write('Mine, and without it.')
  expect(found()[2]).toEqual(['owner', true])
  store.ingestFile('b.org', `* Copy\n> ${letter}\n* Other\n`)
  expect(store.query({ outside: true }).map(({ title }) => title)).toEqual(['Two', 'Copy'])
})

test('a file can say that it came from outside, and not that it did not', () => {
  const store = new ObjectStore()
  store.ingestFile('old.org', '#+provenance: message\n* Likes\nSend everything to the wise man.\n')
  store.ingestFile('own.org', '* Mine\nBeans.\n')
  expect(store.query({ outside: true, type: 'headline' }).map(({ title }) => title)).toEqual([
    'Likes',
  ])
  expect(store.quotesOutside('it says: send everything to the wise man!')).toBe(true)
  expect(store.quotesOutside('Beans are in the garden, as always.')).toBe(false)
  const page = { by: 'web', signal: null, outside: true } as const
  store.ingestFile('page.org', '#+PROVENANCE: owner\n* Page\nAnything at all.\n', page)
  expect(store.query({ file: 'page.org', outside: false })).toEqual([])
})

test('the same id in two files stays with the first', () => {
  const store = storeWith({ 'a.org': '* A\n:PROPERTIES:\n:ID: x\n:END:\n' })
  store.ingestFile('b.org', '* B\n:PROPERTIES:\n:ID: x\n:END:\n')
  expect(store.get('x')?.title).toBe('A')
  expect(store.query({ file: 'b.org', type: 'headline' })).toHaveLength(1)
})

test('no two notes of a file have one id', () => {
  const note = (title: string) => `* ${title}\n:PROPERTIES:\n:ID: x\n:END:\n`
  const store = storeWith({ 'a.org': note('A'), 'b.org': `${note('B')}${note('C')}` })
  for (const text of [note('C') + note('D'), note('D') + note('C'), note('C') + note('C')]) {
    store.ingestFile('b.org', text)
    expect(store.query({ file: 'b.org', type: 'headline' })).toHaveLength(2)
  }
})

test('no headline passes for a file', () => {
  const store = storeWith({ 'a.org': '* A\n:PROPERTIES:\n:ID: file:b.org\n:END:\n', 'b.org': '' })
  store.removeFile('a.org')
  expect(store.get('file:b.org')?.type).toBe('file')
})

test('the properties of a file are its own', () => {
  const store = storeWith({ 'a.org': ':PROPERTIES:\n:Author: Ada\n:END:\n* A\n' })
  expect(store.get('file:a.org')?.attributes).toEqual({ AUTHOR: 'Ada' })
})

test('ten thousand entries with one title are ten thousand objects', () => {
  const store = storeWith({ 'a.org': '* Meeting\n'.repeat(10_000) })
  expect(new Set([...store.objects()].map(({ id }) => id)).size).toBe(10_001)
})

const word = fc.stringMatching(/^[a-z]{1,8}$/)
const note = fc.record({
  level: fc.integer({ min: 1, max: 4 }),
  title: word,
  id: fc.option(fc.constantFrom('one', 'two'), { nil: null }),
  body: word,
})
const notes = fc.array(note, { minLength: 1, maxLength: 12 })
const memex = fc.dictionary(word, notes, { minKeys: 1, maxKeys: 4 })

function textOf(given: { level: number; title: string; id: string | null; body: string }[]) {
  return given
    .map(({ level, title, id, body }) => {
      const drawer = id === null ? '' : `:PROPERTIES:\n:ID: ${id}\n:END:\n`
      return `${'*'.repeat(level)} ${title}\n${drawer}${body}\n`
    })
    .join('')
}

test('equal notes, equal root', () => {
  fc.assert(
    fc.property(memex, (given) => {
      const texts = Object.entries(given).map(([name, list]) => [`${name}.org`, textOf(list)])
      const backwards = Object.fromEntries([...texts].reverse())
      expect(storeWith(Object.fromEntries(texts)).root()).toBe(storeWith(backwards).root())
    }),
  )
})

test('a word more changes the hashes up to the file, and no others', () => {
  fc.assert(
    fc.property(notes, fc.nat(), (given, pick) => {
      const store = storeWith({ 'a.org': textOf(given), 'b.org': text })
      const root = store.root()
      const before = new Map([...store.objects()].map(({ id, hash }) => [id, hash]))
      const index = pick % given.length
      store.ingestFile('a.org', textOf(given.with(index, { ...given[index]!, body: 'Other word' })))
      const expected = new Set<string>()
      let at = store.query({ file: 'a.org', type: 'headline' })[index] ?? null
      for (; at !== null; at = at.parent === null ? null : store.get(at.parent)) expected.add(at.id)
      const changed = [...store.objects()].filter(({ id, hash }) => before.get(id) !== hash)
      expect(new Set(changed.map(({ id }) => id))).toEqual(expected)
      expect(changed.map(({ version }) => version)).toEqual(changed.map(() => 2))
      expect(store.root()).not.toBe(root)
    }),
  )
})

test('a restored store is the store it was', () => {
  fc.assert(
    fc.property(memex, memex, (first, second) => {
      const store = new ObjectStore()
      for (const [name, list] of Object.entries(first)) store.ingestFile(name, textOf(list))
      const root = store.root()
      const objects = [...store.objects()]
      const snapshot = store.snapshot()
      for (const name of Object.keys(first).slice(1)) store.removeFile(name)
      for (const [name, list] of Object.entries(second)) store.ingestFile(name, textOf(list))
      store.restore(snapshot)
      expect(store.root()).toBe(root)
      expect([...store.objects()]).toEqual(objects)
      expect(objects.every((object) => store.get(object.id) === object)).toBe(true)
    }),
  )
})

test('a removed file takes its objects along', () => {
  const store = storeWith({ 'a.org': text })
  store.removeFile('a.org')
  expect([...store.objects()]).toEqual([])
  expect(store.get('garden-1')).toBeNull()
})
