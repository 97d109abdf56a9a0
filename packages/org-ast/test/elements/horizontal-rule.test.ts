import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test.each([
  ['-----  \n', 'horizontal-rule'],
  ['----\n', 'paragraph'],
  ['----- a\n', 'paragraph'],
])('%j', (text, type) => {
  expect(first(text)).toMatchObject({ type })
})
