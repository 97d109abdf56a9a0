import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quotations } from '../../src/memory/taint.ts'

const letter = 'Dear friend, please send the parcel to the old mill before Sunday evening.'

test.each([
  ['all of it', letter, true],
  ['a part', 'He writes: send the parcel to the old MILL!', true],
  ['other lines', letter.replace(/ /g, '\n> '), true],
  ['other words', 'A parcel has to be sent to a mill before Sunday.', false],
  ['a phrase', 'the old mill', false],
  ['nothing', '', false],
])('%s', (_, text, expected) => {
  const quotations = new Quotations()
  expect([quotations.isEmpty, quotations.isIn(text)]).toEqual([true, false])
  quotations.add(letter)
  expect(quotations.isIn(text)).toBe(expected)
})

test('a short line counts as a whole', () => {
  const quotations = new Quotations()
  quotations.add('Call the mill today.\n豆を三月にまく。\n')
  expect(quotations.isIn('- call the mill today')).toBe(true)
  expect(quotations.isIn('I call the mill today, or not')).toBe(false)
  expect(quotations.isIn('「豆を三月にまく」')).toBe(true)
})

test('whatever was added is recognised', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 6, maxLength: 40 })
  fc.assert(
    fc.property(words, fc.nat(), (given, from) => {
      const quotations = new Quotations()
      quotations.add(given.join(' '))
      const begin = from % (given.length - 5)
      expect(quotations.isIn(`x ${given.slice(begin, begin + 6).join('\n')} y`)).toBe(true)
    }),
  )
})
