import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('a comment block is text', () => {
  expect(first('#+begin_comment\n,* a\n- b\n#+end_comment\n')).toMatchObject({
    type: 'comment-block',
    value: ',* a\n- b\n',
  })
})
