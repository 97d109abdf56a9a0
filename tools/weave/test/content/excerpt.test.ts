import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerpt } from '../../src/content/excerpt.ts'

const show = (text: string, terms: string[], length?: number) =>
  excerpt(text, terms, length)
    .map(({ text: piece, isHit }) => (isHit ? `[${piece}]` : piece))
    .join('')

test('the words around a hit', () => {
  expect(show('All gates pass.', ['gate'])).toBe('All [gate]s pass.')
  expect(show('Investigate a (gate', ['gate', '('])).toBe('Investigate a [(][gate]')
  expect(show('one two three four five six', ['FIVE'], 20)).toBe('… four [five] six')
  expect(show('one two three', ['x'], 9)).toBe('one two …')
  expect(show('', ['a'])).toBe('')
  expect(show('a b', [])).toBe('a b')
})

test('an excerpt is a part of its text', () => {
  const word = fc.constantFrom('gate', 'Gates', 'a', '(', '[x]', 'ä', '😀', 'investigate')
  const text = fc.array(word).map((words) => words.join(' '))
  fc.assert(
    fc.property(text, fc.array(word), fc.integer({ min: 5, max: 40 }), (whole, terms, length) => {
      const pieces = excerpt(whole, terms, length)
      const joined = pieces.map((piece) => piece.text).join('')
      expect(whole).toContain(joined.replace(/^… | …$/g, ''))
      expect(joined.length).toBeLessThanOrEqual(length + 4)
    }),
  )
})
