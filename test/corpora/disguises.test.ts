import { matcherFor } from '@passepartout/gates/secrets'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { disguisePairs, disguises } from './disguises.ts'

const sign = fc.constantFrom(...Array.from('!#$&*+-./:=?@^_~'))
const plain = fc.constantFrom(
  ...Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'),
)
const values = fc
  .tuple(
    fc.array(plain, { minLength: 10, maxLength: 20 }),
    fc.array(fc.oneof(plain, plain, plain, sign), { maxLength: 20 }),
  )
  .map((parts) => parts.flat().join(''))

test('any value is found in any one or two disguises', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(values, fc.constantFrom(...disguisePairs), (value, [, disguise]) => {
      const match = matcherFor(new Map([['bank', value]]))
      expect(match.namesIn(`Dear Bob, ${disguise(value)} is it.`)).toEqual(['bank'])
    }),
    { numRuns: 1_500 },
  )
})

test('one value is found in all of them', { timeout: 60_000 }, () => {
  const value = 'Tr0ub4dor&3-horse/staple'
  const match = matcherFor(new Map([['bank', value]]))
  const missed = disguisePairs.flatMap(([names, disguise]) =>
    match.namesIn(`Dear Bob, ${disguise(value)} is it.`).length === 1 ? [] : [names],
  )
  expect(missed).toEqual([])
  expect(Object.keys(disguises).length).toBeGreaterThanOrEqual(40)
})

test('nothing is found in a disguised text without a value', { timeout: 60_000 }, () => {
  const match = matcherFor(
    new Map([
      ['bank', 'Tr0ub4dor&3-horse/staple'],
      ['pin', '47110815'],
    ]),
  )
  const text = fc.lorem({ maxCount: 30 })
  fc.assert(
    fc.property(text, fc.constantFrom(...disguisePairs), (words, [, disguise]) => {
      expect(match.namesIn(disguise(words))).toEqual([])
    }),
    { numRuns: 300 },
  )
})
