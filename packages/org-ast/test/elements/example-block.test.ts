import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('an example is text', () => {
  expect(first('#+begin_example +n\n,* *a*\n#+end_example\n')).toMatchObject({
    type: 'example-block',
    switches: '+n',
    numberLines: { type: 'continued', offset: 0 },
    value: '* *a*\n',
  })
})
