import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('a call comes apart into its parts', () => {
  expect(first('#+call: a b[:x y](g(1), 2)[:z]\n')).toMatchObject({
    type: 'babel-call',
    call: 'a b',
    insideHeader: ':x y',
    arguments: 'g(1), 2',
    endHeader: '[:z]',
  })
  expect(first('#+CALL: f() :results silent\n')).toMatchObject({
    call: 'f',
    arguments: null,
    endHeader: ':results silent',
  })
})
