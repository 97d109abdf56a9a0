import fc from 'fast-check'
import { expect, test } from 'vitest'
import { explainDocument, rankDocuments } from '../../src/search/lexical.ts'
import { type FieldTerms, LexicalIndex } from '../../src/search/postings.ts'

const empty: FieldTerms = { title: [], tags: [], properties: [], path: [], body: [] }
const words = (text: string) => text.split(' ').filter((word) => word !== '')
const groups = (text: string) =>
  words(text).map((word) => ({ word, variants: [{ term: word, weight: 1 }] }))

function indexOf(...bodies: string[]): LexicalIndex {
  const index = new LexicalIndex()
  for (const [at, body] of bodies.entries()) index.add(`${at}`, { ...empty, body: words(body) })
  return index
}

const keys = (index: LexicalIndex, text: string) =>
  rankDocuments([index], groups(text), 100).map(({ key }) => key)

test('what a ranking is for', () => {
  expect(keys(indexOf('pump x', 'pump pump', 'y'), 'pump')).toEqual(['1', '0'])
  expect(keys(indexOf('pump oil', 'pump rye', 'pump x', 'oil x y z'), 'rye oil pump')).toEqual([
    '1',
    '0',
    '3',
    '2',
  ])
  expect(keys(indexOf('rye bread with seeds on it', 'rye'), 'rye')).toEqual(['1', '0'])
  const index = indexOf('rye rye')
  index.add('title', { ...empty, title: ['rye'] })
  expect(keys(index, 'rye')).toEqual(['title', '0'])
  expect(keys(index, 'nothing')).toEqual([])
})

test('a mark is found and not ranked', () => {
  const index = new LexicalIndex()
  index.add('a', empty, ['\u0001id:x'])
  const found: string[] = []
  index.each('\u0001id:x', (document) => found.push(index.documents.keyOf(document)!))
  expect([found, keys(index, '\u0001id:x')]).toEqual([['a'], []])
})

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const document = fc.record({
  title: fc.array(word, { maxLength: 3 }),
  tags: fc.array(word, { maxLength: 2 }),
  properties: fc.array(word, { maxLength: 2 }),
  path: fc.array(word, { maxLength: 3 }),
  body: fc.array(word, { maxLength: 60 }),
})
const key = fc.nat({ max: 5 }).map(String)
const steps = fc.array(fc.tuple(key, fc.option(document, { nil: null })), { maxLength: 30 })
const question = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '))

function built(entries: Iterable<readonly [string, FieldTerms]>): LexicalIndex {
  const index = new LexicalIndex()
  for (const [name, terms] of entries) index.add(name, terms)
  return index
}

test('a changed index is one that was built at once', () => {
  fc.assert(
    fc.property(steps, question, fc.nat(4), (list, text, limit) => {
      const index = new LexicalIndex()
      const expected = new Map<string, FieldTerms>()
      for (const [name, terms] of list) {
        if (terms === null) index.remove(name)
        else index.add(name, terms)
        if (terms === null) expected.delete(name)
        else expected.set(name, terms)
      }
      const ranked = rankDocuments([built(expected)], groups(text), limit + 1)
      expect(rankDocuments([index], groups(text), limit + 1)).toEqual(ranked)
      const halves = [...expected].map((entry, at) => [entry, at % 2] as const)
      const parts = [0, 1].map((half) =>
        built(halves.filter(([, side]) => side === half).map(([entry]) => entry)),
      )
      const all = rankDocuments(parts, groups(text), 100)
      expect(all).toEqual(rankDocuments([index], groups(text), 100))
      for (const { key: name, score } of all) {
        const reasons = explainDocument(parts, groups(text), name)
        expect(reasons.reduce((sum, reason) => sum + reason.score, 0)).toBeCloseTo(score, 9)
      }
    }),
  )
})

test('what is removed is gone, and its room is used again', () => {
  const index = new LexicalIndex()
  for (let at = 0; at < 4_000; at++) {
    index.add(`${at}`, { ...empty, body: ['all', `own${at}`] })
    if (at >= 10) index.remove(`${at - 10}`)
  }
  expect(index.documents.size).toBe(10)
  expect(index.documents.end).toBeLessThan(1_100)
  expect(index.terms.size).toBeLessThan(1_100)
  expect(keys(index, 'all')).toHaveLength(10)
  expect(keys(index, 'own3995')).toEqual(['3995'])
  expect(keys(index, 'own5')).toEqual([])
})
