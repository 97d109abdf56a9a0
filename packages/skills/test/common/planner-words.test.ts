import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bestTitles,
  foldText,
  quoted,
  stem,
  unquote,
  wordsOf,
} from '../../src/common/planner-words.ts'

test('case, accents and blanks do not matter', () => {
  expect(foldText('  Onkel  BJÖRN ')).toBe('onkel bjorn')
  expect(foldText('Bjo\u0308rn')).toBe(foldText('Bj\u00f6rn'))
  expect(foldText('Straße')).toBe('strasse')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text))
    }),
  )
})

test.each([
  ['beans', 'bean'],
  ['berries', 'berry'],
  ['boxes', 'box'],
  ['watering', 'water'],
  ['watered', 'waters'],
  ['planned', 'plan'],
  ['booking', 'booked'],
  ['receipts', 'receipt'],
  ['tables', 'table'],
  ['calling', 'call'],
])('%s and %s are one word', (one, other) => {
  expect(stem(one)).toBe(stem(other))
})

test('little words count only among themselves', () => {
  expect(wordsOf('Oil the pump, please')).toEqual(['oil', 'pump', 'please'])
  expect(wordsOf('to the')).toEqual(['to', 'the'])
  expect(wordsOf('???')).toEqual([])
  expect(stem('bus')).toBe('bus')
})

test('quotation marks come off in pairs', () => {
  expect(['"a b"', '“a b”', '„a b“', '«a b»'].map(unquote)).toEqual(['a b', 'a b', 'a b', 'a b'])
  expect(unquote('5" pipe')).toBe('5" pipe')
  expect(unquote('"a" or "b"')).toBe('"a" or "b"')
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(text.trim() !== '' && !text.includes('”'))
      expect(unquote(`“${text}”`)).toBe(text.trim())
    }),
  )
})

const titles = ['The pump', 'Pump up the tyre', 'Oil the pump', 'Water the plants', 'Peel oranges']
const meant = (query: string) => bestTitles(titles, (title) => title, query)

test('the best tier of titles wins', () => {
  expect(meant('the pump')).toEqual(['The pump'])
  expect(meant('pump')).toEqual(['The pump'])
  expect(meant('pump up')).toEqual(['Pump up the tyre'])
  expect(meant('oil pump')).toEqual(['Oil the pump'])
  expect(meant('tyre pump')).toEqual(['Pump up the tyre'])
  expect(meant('watering plant')).toEqual(['Water the plants'])
  expect(meant('up the')).toEqual(['Pump up the tyre'])
  expect(meant('ran')).toEqual([])
  expect(meant('???')).toEqual([])
  expect(meant('“watering plants”')).toEqual([])
})

test('a title names itself', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (others, title) => {
      fc.pre(foldText(title) !== '' && quoted(title) === null)
      const found = bestTitles([...others, title], (each) => each, title)
      expect(found).toContain(title)
    }),
  )
})
