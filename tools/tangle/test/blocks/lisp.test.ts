import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listOf, printLisp, readLisp, symbol } from '../../src/blocks/lisp.ts'

test.each([
  ['(a "b\\n\\x41\\ \\"" ?c ?\\n ?\\()', '(a "b\nA\\"" 99 10 40)'],
  ["'(1 . 2) ; comment", "'(1 . 2)"],
  ["(1 (quote x) #'car `(a ,b ,@c))", "(1 'x #'car `(a ,b ,@c))"],
  ['[1 2.50 -3 +4 5. 1e3 .5 #o755 #xFF #b-101]', '[1 2.5 -3 4 5 1000.0 0.5 493 255 -5]'],
  ['(a . (b . (c . nil)))', '(a b c)'],
  ['()', 'nil'],
  ['a\\ b', 'a\\ b'],
])('%s', (text, printed) => {
  expect(printLisp(readLisp(text)!.value)).toBe(printed)
})

test.each(['', '(', '(a . )', '"a', '#<buffer x>', ')', '#o9', '\\', "'", '?'])('%j', (text) => {
  expect(readLisp(text)).toBeNull()
})

test('what is printed can be read', () => {
  const atom = fc.oneof(
    fc.integer(),
    fc.string(),
    fc.constantFrom('a', 'b c', '-x', '1+', '12', '#x').map(symbol),
  )
  const tree = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(atom, fc.array(tie('tree'), { maxLength: 4 })),
  })).tree
  const toLisp = (value: unknown): never =>
    (Array.isArray(value) ? listOf(value.map(toLisp)) : value) as never
  fc.assert(
    fc.property(tree, (value) => {
      const text = printLisp(toLisp(value))
      expect(printLisp(readLisp(text)!.value)).toBe(text)
    }),
  )
})
