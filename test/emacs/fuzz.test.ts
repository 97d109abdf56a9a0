import fc from 'fast-check'
import { parse } from 'org-ast'
import { expect, test } from 'vitest'
import { anyOrg, lostBytes } from './fuzz.ts'

test('no text is lost', () => {
  fc.assert(
    fc.property(anyOrg, (text) => {
      expect(lostBytes(text, parse(text))).toBeNull()
    }),
    { numRuns: 500 },
  )
})

test('a hole is seen', () => {
  const text = 'a *b* c\n\n- d\n'
  const tree = parse(text)
  expect(lostBytes(text, tree)).toBeNull()
  tree.children[0]!.children.shift()
  expect(lostBytes(text, tree)).toContain('loses')
})
