import fc from 'fast-check'
import { expect, test } from 'vitest'
import { languages } from '../../src/search/language.ts'
import { folded, termsOf, wordsOf } from '../../src/search/terms.ts'

test.each([
  ['The shelves’ edges, and the shelf', 'shelf edg shelf'],
  ['Björn Ærø ＡＢＣ ﬁne', 'bjorn aero abc fine'],
  ['Wi-Fi in 2026-11', 'wi fi 2026 11 wifi 202611'],
  ['ObjectStore parseHTTPHeader', 'objectstor object store parsehttphead pars http header'],
  ["it isn't Signe's", 'sign'],
  ['日本語text', '日本 本語 日 本 語 text'],
  ['한국어', '한국 국어'],
  ['ภาษาไทย', 'ภาษ าษา ษาไ าไท ไทย'],
  ['', ''],
  ['--- *** 🌱', ''],
])('%s', (text, terms) => {
  expect(termsOf(text, 'en').join(' ')).toBe(terms)
})

test('little words are kept on demand, and belong to a language', () => {
  expect(termsOf('The Who', 'en')).toEqual([])
  expect(termsOf('The Who', 'en', { keepStopWords: true })).toEqual(['the', 'who'])
  expect(termsOf('die Häuser', 'de')).toEqual(['haus'])
})

test('a plain text has the terms that its words have', () => {
  const part = fc.constantFrom(
    "don't",
    'Shelves',
    'the',
    'x',
    "it's",
    "'q'",
    'aB',
    'A1',
    '-',
    ' ',
    '.',
  )
  fc.assert(
    fc.property(fc.array(part), fc.boolean(), (parts, keepStopWords) => {
      const text = parts.join('')
      const joined = termsOf(text, 'en', { keepStopWords })
      const word = (each: string) => termsOf(`${each} é`, 'en', { keepStopWords }).slice(0, -1)
      expect(joined.slice(0, wordsOf(text).flatMap(word).length)).toEqual(
        wordsOf(text).flatMap(word),
      )
    }),
  )
})

test('any text has terms', () => {
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(texts, fc.constantFrom(...languages), (text, language) => {
      const terms = termsOf(text, language)
      expect(terms).toEqual(termsOf(text, language))
      for (const term of terms) expect(term).toMatch(/^\S+$/u)
      expect(wordsOf(text).every((word) => folded(word) === folded(folded(word)))).toBe(true)
    }),
  )
})
