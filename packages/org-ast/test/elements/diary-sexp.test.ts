import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('a diary sexp begins its line', () => {
  expect(first('%%(org-date 1) x\n')).toMatchObject({
    type: 'diary-sexp',
    value: '%%(org-date 1) x',
  })
  expect(first(' %%(org-date 1)\n')).toMatchObject({ type: 'paragraph' })
})
