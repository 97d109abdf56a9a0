import { expect, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'
import { catchUpNotes } from '../../src/search/note-index.ts'
import { type RetrieveOptions, retrieve, retrieveHybrid } from '../../src/search/retrieval.ts'

function storeWith(files: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [path, content] of Object.entries(files)) store.ingestFile(path, content)
  return store
}

const kitchen = `#+title: Kitchen
* Plumbing
** The pump
:PROPERTIES:
:ID: pump-1
:SERIAL: 88-AX-2041
:END:
In the hall cupboard, beside the shelves.
** TODO Call the plumber :@phone:
See [[id:pump-1][the pump]]; he answers before eight or not at all.
* Letters :private:
** From the plumber’s daughter
She is not well, and the pump is the least of it.
`
const german = `#+title: Garten
#+language: de
* Die Häuser am Fluss
Sie wurden vor hundert Jahren gebaut.
`
const store = storeWith({ 'kitchen.org': kitchen, 'garten.org': german })
const titles = (query: string, options: RetrieveOptions = {}) =>
  retrieve(store, query, options).map(({ object }) => object.title)

test('what a note is found by', () => {
  expect(titles('where is the pump?')[0]).toBe('The pump')
  expect(titles('shelf')).toContain('The pump')
  expect(titles('AX 2041')[0]).toBe('The pump')
  expect(titles('pump-1')[0]).toBe('The pump')
  expect(titles('haus')).toEqual(['Die Häuser am Fluss'])
  expect(titles('hauser fluss')[0]).toBe('Die Häuser am Fluss')
  expect(titles('phone')).toEqual(['Call the plumber', 'The pump'])
  expect(titles('plumer')[0]).toBe('Call the plumber')
  expect(titles('cupbord')[0]).toBe('The pump')
  expect(titles('')).toEqual([])
  expect(titles('the and of')).not.toContain('Kitchen')
})

test('a date has a name', () => {
  const names = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'long', timeZone: 'UTC' })
  const days = Array.from({ length: 365 }, (_, at) => new Date(Date.UTC(2027, 0, 1 + at)))
  const dated = storeWith({
    'de.org': '#+language: de\n* Zahnarzt\n<2027-02-04 Do>\n',
    'en.org': days
      .map((day) => `* ${day.getTime()}\n[${day.toISOString().slice(0, 10)}]\n`)
      .join(''),
  })
  const found = (query: string) =>
    retrieve(dated, query, { limit: 400 }).map(({ object }) => object)
  expect(found('donnerstag').map(({ title }) => title)).toEqual(['Zahnarzt'])
  for (const word of ['thursday', 'november']) {
    const meant = days.filter((day) => names.format(day).toLowerCase().includes(word))
    const titles = found(word).map(({ title }) => title)
    expect(titles.toSorted()).toEqual(meant.map((day) => String(day.getTime())).toSorted())
  }
})

test('what is private is for its owner', () => {
  expect(titles('daughter of the plumber')).not.toContain('From the plumber’s daughter')
  expect(titles('daughter')).toEqual([])
  expect(titles('daughter', { privacy: 'owner' })[0]).toBe('From the plumber’s daughter')
  const linking = storeWith({
    'a.org': '* Open\nSee [[id:shut][the ailment]].\n',
    'b.org': '* Shut :private:\n:PROPERTIES:\n:ID: shut\n:END:\n',
  })
  expect(retrieve(linking, 'ailment')).toEqual([])
  expect(JSON.stringify(retrieve(linking, 'open', { explain: true }))).not.toContain('ailment')
  linking.ingestFile('b.org', '* Shut\n:PROPERTIES:\n:ID: shut\n:END:\n')
  expect(retrieve(linking, 'ailment')[0]?.object.title).toBe('Open')
  const within = ({ file }: { file: string }) => file === 'garten.org'
  expect(titles('pump', { within })).toEqual([])
})

test('why a note ranked', () => {
  const [first, second] = retrieve(store, 'pump', { explain: true })
  expect(first).toMatchObject({
    object: { title: 'The pump' },
    ranks: { words: 1, links: 2 },
    words: [{ word: 'pump', term: 'pump', counts: { title: 1, properties: 1 } }],
  })
  expect(second).toMatchObject({
    object: { title: 'Call the plumber' },
    ranks: { words: 2, links: 1 },
  })
})

test('what is near in meaning is found too', async () => {
  const near = ['Die Häuser am Fluss', 'From the plumber’s daughter'].map(
    (title) => [...store.objects()].find((object) => object.title === title)!.id,
  )
  const hits = await retrieveHybrid(
    store,
    { trust: 1, similar: () => Promise.resolve(near) },
    'pump',
  )
  expect(hits.map(({ object }) => object.title)).toContain('Die Häuser am Fluss')
  expect(hits.map(({ object }) => object.title)).not.toContain('From the plumber’s daughter')
  expect(await retrieveHybrid(store, null, 'pump')).toEqual(retrieve(store, 'pump'))
})

test('reading in pieces and asking in between', () => {
  const many = storeWith(
    Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`${at}.org`, `* Note${at}\noats\n`])),
  )
  expect([catchUpNotes(many, -1), catchUpNotes(many, -1)]).toEqual([false, false])
  expect(retrieve(many, 'oats', { limit: 50 })).toHaveLength(25)
  many.ingestFile('24.org', '* Changed\n')
  expect(catchUpNotes(many, -1)).toBe(true)
  expect(retrieve(many, 'changed')).toHaveLength(1)
})

test('an edit, a removal and a rollback are followed', () => {
  const changing = storeWith({ 'kitchen.org': kitchen })
  const found = ['The pump', 'Call the plumber']
  const ask = (query: string) => retrieve(changing, query).map(({ object }) => object.title)
  expect(ask('cupboard')).toEqual(found)
  const before = changing.snapshot()
  changing.ingestFile('kitchen.org', kitchen.replace('hall cupboard', 'cellar'))
  expect([ask('cupboard'), ask('cellar')]).toEqual([[], found])
  changing.ingestFile('kitchen.org', kitchen.replace('* Plumbing', '* Waterworks'))
  expect(ask('waterworks')).toContain('The pump')
  changing.ingestFile('kitchen.org', kitchen.replace('* Plumbing', '* Plumbing :private:'))
  expect(ask('pump')).toEqual([])
  changing.ingestFile('other.org', kitchen)
  changing.removeFile('kitchen.org')
  expect(ask('cupboard')).toEqual(found)
  changing.restore(before)
  expect(retrieve(changing, 'pump').map(({ object }) => object.file)).toContain('kitchen.org')
  expect(retrieve(changing, 'pump')).toEqual(
    retrieve(storeWith({ 'kitchen.org': kitchen }), 'pump'),
  )
})
