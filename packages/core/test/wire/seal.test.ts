import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Seal } from '../../src/wire/seal.ts'

const key = 'k'.repeat(64)

test('sealed messages arrive as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (messages) => {
      const here = new Seal(key, 'to-daemon')
      const there = new Seal(key, 'to-daemon')
      const texts = messages.map((message) => message.toWellFormed())
      expect(texts.map((text) => there.unseal(here.seal(text)))).toEqual(texts)
    }),
  )
})

test.each([
  ['changed', (first: string) => [first.replace('pay 1', 'pay 9')]],
  ['repeated', (first: string) => [first, first]],
  ['left out', (_: string, second: string) => [second]],
  ['swapped', (first: string, second: string) => [second, first]],
  ['cut off', (first: string) => [first.slice(0, 63)]],
])('a message that was %s is refused', (_, attack) => {
  const here = new Seal(key, 'to-daemon')
  const there = new Seal(key, 'to-daemon')
  const sent = attack(here.seal('pay 1'), here.seal('pay 2'))
  expect(() => sent.map((message) => there.unseal(message))).toThrow('seal')
})

test('what a client said does not come back as the daemon’s word', () => {
  const said = new Seal(key, 'to-daemon').seal('hello')
  expect(() => new Seal(key, 'to-client').unseal(said)).toThrow('seal')
})
