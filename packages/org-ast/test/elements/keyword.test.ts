import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('the key ends at the last colon of the first word', () => {
  expect(first('#+a:b: c d ')).toMatchObject({ type: 'keyword', key: 'A:B', value: 'c d' })
})
