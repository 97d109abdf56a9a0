import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ObjectStore } from '../../src/memory/store.ts'
import { explainText, TextSearch, textTerms } from '../../src/search/full-text.ts'
import { catchUpNotes } from '../../src/search/note-index.ts'

function storeOf(notes: Record<string, string>): ObjectStore {
  const store = new ObjectStore()
  for (const [id, text] of Object.entries(notes)) {
    const [, title = 'Note', body] = /^(?:title (.+)\n)?([\s\S]*)$/.exec(text)!
    store.ingestFile(`${id}.org`, `* ${title}\n:PROPERTIES:\n:ID: ${id}\n:END:\n${body}\n`)
  }
  return store
}

function found(store: ObjectStore, words: string): string[] {
  const search = new TextSearch(store, textTerms(words))
  const ids = [...store.objects()].flatMap(({ id, type }) => (type === 'headline' ? id : []))
  return ids.filter((id) => search.holds(id) && (search.candidates()?.has(id) ?? true))
}

const texts = {
  ja: '明日は東京都のタワーへ行く。',
  th: 'มะม่วงหวาน',
  wide: 'Ａｂｃ',
  fr: 'Un cafe\u0301 noir, l’arbre',
  de: 'In der Straße',
  ru: 'Пётр',
  en: "See [[https://example.org/shelves][the page]]; it isn't Signe's.",
}
const [written, indexed] = [storeOf(texts), storeOf(texts)]
catchUpNotes(indexed, Infinity)

test.each([
  ['京都', ['ja']],
  ['タワー', ['ja']],
  ['都京', []],
  ['東', ['ja']],
  ['หวาน', ['th']],
  ['ABC', ['wide']],
  ['cafe', ['fr']],
  ['CAFÉ', ['fr']],
  ['arbre', ['fr']],
  ['stras*', ['de']],
  ['strasse', ['de']],
  ['Пётр', ['ru']],
  ['петр', ['ru']],
  ['shelves', ['en']],
  ['shelf', []],
  ['signe', ['en']],
  ['"the page"', ['en']],
])('%s is found', (words, ids) => {
  expect(found(written, words)).toEqual(ids)
  expect(found(indexed, words)).toEqual(ids)
})

const teas = storeOf({ both: 'black tea', one: 'green tea', near: 'near black' })

test.each([
  ['black tea', ['both']],
  ['"black tea"', ['both']],
  ['"tea black', []],
  ['te*', ['both', 'one']],
  ['NEAR(black', ['near']],
  ['title:x', []],
  ['*', []],
  ['', []],
  ['-', []],
])('%j among three notes', (words, ids) => {
  expect(found(teas, words).sort()).toEqual([...ids].sort())
})

test('no input is an error', () => {
  const input = fc.string({ unit: fc.constantFrom(...'ab"*()^:+-\0 東é{}AND'.split('')) })
  fc.assert(fc.property(input, (text) => found(teas, text).length <= 3))
})

test('the title counts most, and a hit is explained', () => {
  const store = storeOf({
    body: 'Something about oats, or beans, and more.',
    title: 'title Beans\nOf a garden.',
    house: 'title Beans\n** Sow\n:PROPERTIES:\n:ID: above\n:END:\n',
  })
  const ids = ['above', 'body', 'title']
  const order = () =>
    new TextSearch(store, textTerms('beans')).ranked(
      () => ids,
      (id) => ids.includes(id),
      3,
    )
  expect(order().map(({ key }) => key)).toEqual(['title', 'body', 'above'])
  catchUpNotes(store, Infinity)
  expect(order().map(({ key }) => key)).toEqual(['title', 'body', 'above'])
  expect(Object.keys(explainText(store, 'above', textTerms('beans sow'))).sort()).toEqual([
    'path',
    'title',
  ])
})

test('the words of a link to a private note are not searched', () => {
  const text =
    'See [[id:hidden][the surgeon]].\n* Secret :private:\n:PROPERTIES:\n:ID: hidden\n:END:\n'
  expect(found(storeOf({ open: text }), 'surgeon')).toEqual([])
  expect(found(storeOf({ open: text }), 'see')).toEqual(['open'])
})
