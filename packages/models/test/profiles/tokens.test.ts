import fc from 'fast-check'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { expect, test } from 'vitest'
import { createTokenCounter } from '../../src/profiles/tokens.ts'

const counter = createTokenCounter()
const witness = new Tiktoken(o200k)
const encoded = (text: string) => witness.encode(text, [], []).length

test('without the tables it estimates, and never too low', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(createTokenCounter().count(text)).toBeGreaterThanOrEqual(encoded(text))
    }),
  )
})

test.each([
  'The quick brown fox jumps over the lazy dog.',
  '  (:TYPE :REQUEST :PAYLOAD (:ACTION :MESSAGE :TEXT "Hello"))',
  "SCHEDULED: <2026-11-21 Sat 14:00 +1w> it's 1234567",
  '豆は三月に蒔きました。 Ёлка и Straße, voilà 🫘🏳️‍🌈',
  '\t\t  x\r',
  '<|endoftext|>',
  '',
])('%j counts as the library counts it', async (text) => {
  await counter.ready()
  expect(counter.count(text)).toBe(encoded(text))
})

test('any words count as the library counts them', async () => {
  await counter.ready()
  const word = fc.string({ unit: 'grapheme', maxLength: 4 })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      const text = words.join(' ').replaceAll('\n', ' ')
      const longest = Math.max(0, ...text.split(/\s+/).map((part) => Buffer.byteLength(part)))
      fc.pre(longest < 32)
      expect(counter.count(text)).toBe(encoded(text))
    }),
  )
})

test('a word without an end is counted too', async () => {
  await counter.ready()
  expect(counter.count('q'.repeat(1_000_000))).toBeGreaterThan(100_000)
})
