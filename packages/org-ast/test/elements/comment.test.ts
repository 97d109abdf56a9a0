import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('comments lose their marks', () => {
  expect(first('# a\n#\n  #  b\n#tag\n')).toMatchObject({ type: 'comment', value: 'a\n\n b' })
  expect(first('#tag\n')).toMatchObject({ type: 'paragraph' })
})
