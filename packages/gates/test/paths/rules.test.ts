import { expect, test } from 'vitest'
import { indexRules } from '../../src/paths/rules.ts'

const index = indexRules([
  ['.ssh/ etc/shadow *.pem', 'a'],
  ['.ssh/*.pub dev/sd* id_*', 'b'],
])

function found(path: string): string[] {
  return index.find(path.split('/')).map(({ from, to, value }) => `${value}${from}-${to}`)
}

test.each([
  ['home/.ssh/id_rsa', ['a1-1', 'b2-2']],
  ['home/.ssh/x.pub', ['a1-1', 'b1-2']],
  ['etc/shadow', ['a0-1']],
  ['etc/shadow/x', []],
  ['mnt/etc/shadow', ['a1-2']],
  ['shadow', []],
  ['a.pem', ['a0-0']],
  ['dev/sda1', ['b0-1']],
  ['dev/x/sda', []],
])('in %s are %j', (path, expected) => {
  expect(found(path)).toEqual(expected)
})

test('a pattern needs a fixed end', () => {
  expect(() => indexRules([['*key*', 'a']])).toThrow(RangeError)
})
