import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('an export block has one backend', () => {
  expect(first('#+begin_export html\n<b>\n#+end_export\n')).toMatchObject({
    type: 'export-block',
    backend: 'HTML',
    value: '<b>\n',
  })
  expect(first('#+begin_export a b\n#+end_export\n')).toMatchObject({ backend: null })
})
