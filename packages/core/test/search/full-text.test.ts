import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { explainText, FullText, type TextNote, textTerms } from '../../src/search/full-text.ts'

const plain = { tags: [], properties: '', path: [] }

function indexOf(notes: Record<string, string | Partial<TextNote>>): FullText {
  const index = new FullText(new DatabaseSync(':memory:'))
  const given = Object.entries(notes).map(([id, note]) => ({
    ...plain,
    id,
    title: '',
    body: '',
    ...(typeof note === 'string' ? { body: note } : note),
  }))
  index.update('a.org', given)
  return index
}

function found(index: FullText, words: string): string[] {
  return index.search({ terms: textTerms(words) }).map(({ id }) => id)
}

test.each([
  ['京都', ['ja']],
  ['タワー', ['ja']],
  ['都京', []],
  ['東', ['ja']],
  ['หวาน', ['th']],
  ['ABC', ['wide']],
  ['cafe', ['fr']],
  ['CAFÉ', ['fr']],
  ['stras*', ['de']],
  ['strasse', ['de']],
  ['Пётр', ['ru']],
  ['петр', ['ru']],
])('%s is found', (words, ids) => {
  const index = indexOf({
    ja: '明日は東京都のタワーへ行く。',
    th: 'มะม่วงหวาน',
    wide: 'Ａｂｃ',
    fr: 'Un cafe\u0301 noir',
    de: 'In der Straße',
    ru: 'Пётр',
  })
  expect(found(index, words)).toEqual(ids)
})

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
  const index = indexOf({ both: 'black tea', one: 'green tea', near: 'near black' })
  expect(found(index, words).sort()).toEqual([...ids].sort())
})

test('no input is an error', () => {
  const index = indexOf({ a: 'some words' })
  const input = fc.string({ unit: fc.constantFrom(...'ab"*()^:+-\0 東é{}AND'.split('')) })
  fc.assert(fc.property(input, (text) => found(index, text).length <= 1))
})

test('the title counts most, and a hit is explained', () => {
  const index = indexOf({
    body: 'Something about beans, and more.',
    title: { title: 'Beans' },
    above: { title: 'Sow', path: ['House', 'Beans'] },
  })
  expect(found(index, 'beans')[0]).toBe('title')
  expect(found(index, 'beans')).toHaveLength(3)
  const query = { terms: textTerms('beans sow') }
  expect(Object.keys(explainText(index, 'above', query)).sort()).toEqual(['path', 'title'])
  expect(index.search({ ...query, match: 'any', limit: 1 })[0]?.id).toBe('above')
  const others = index.search({ terms: textTerms('beans'), accept: (id) => id !== 'title' })
  expect(others.map(({ id }) => id).sort()).toEqual(['above', 'body'])
})

test('an update writes what differs', () => {
  const index = indexOf({})
  const note = (id: string, body: string): TextNote => ({ ...plain, id, title: id, body })
  expect(index.update('a.org', [note('one', 'beans'), note('two', 'peas')])).toBe(2)
  expect(index.update('a.org', [note('two', 'peas'), note('one', 'leeks')])).toBe(1)
  expect([found(index, 'beans'), found(index, 'leeks')]).toEqual([[], ['one']])
  expect(index.update('b.org', [note('one', 'leeks')])).toBe(1)
  expect(index.update('a.org', [])).toBe(0)
  expect(index.search({ terms: textTerms('leeks') }).map(({ file }) => file)).toEqual(['b.org'])
  expect([...index.matches({ terms: textTerms('one') })]).toEqual(['one'])
})

test('a word in most notes', () => {
  const database = new DatabaseSync(':memory:')
  const notes = Array.from({ length: 9_000 }, (_, at) => {
    return { ...plain, id: `n${at}`, title: at % 3_000 === 7 ? 'Common' : 'Other', body: 'common' }
  })
  new FullText(database).update('a.org', notes)
  const index = new FullText(database)
  const terms = textTerms('common')
  expect(
    index
      .search({ terms, limit: 3 })
      .map(({ id }) => id)
      .sort(),
  ).toEqual(['n3007', 'n6007', 'n7'])
  expect(index.search({ terms, limit: 4 })).toHaveLength(4)
  expect(index.search({ terms, among: new Set(['n1', 'n7', 'nobody']) })).toHaveLength(2)
  expect(index.search({ terms })).toHaveLength(9_000)
})
