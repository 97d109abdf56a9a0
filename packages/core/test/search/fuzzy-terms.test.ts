import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance } from '../../src/base/edit-distance.ts'
import { NearTerms } from '../../src/search/fuzzy-terms.ts'

const near = (words: string[], word: string) =>
  new NearTerms().find(new Map(words.map((each, at) => [each, at])), word)

test('slips, beginnings and parts', () => {
  const words = ['passport', 'sport', 'archipelago', '5f0c2f0e', 'dampfschifffahrt', 'rye', 'pass']
  expect(near(words, 'pasport').map(({ term }) => term)).toEqual(['passport'])
  expect(near(words, 'archipelego').map(({ term }) => term)).toEqual(['archipelago'])
  expect(near(words, '5f0c2').map(({ term }) => term)).toEqual(['5f0c2f0e'])
  expect(near(words, 'schiff').map(({ term }) => term)).toEqual(['dampfschifffahrt'])
  expect(near(words, 'rya')).toEqual([])
  expect(near(words, 'portpass')).toEqual([])
})

test('what is found is what a look at every word finds', () => {
  const word = fc.stringMatching(/^[a-d]{1,9}$/)
  fc.assert(
    fc.property(fc.uniqueArray(word, { maxLength: 30 }), word, (words, asked) => {
      const slips = asked.length < 4 ? 0 : asked.length < 8 ? 1 : 2
      const expected = words.filter((each) => editDistance(each, asked, 3) <= slips)
      const found = near(words, asked).map(({ term }) => term)
      expect(found.slice(0, expected.length).every((term) => expected.includes(term))).toBe(true)
      const growing = new NearTerms()
      const terms = new Map<string, number>()
      for (const each of words) {
        terms.set(each, terms.size)
        growing.find(terms, asked)
      }
      expect(growing.find(terms, asked).map(({ term }) => term)).toEqual(found)
    }),
  )
})
