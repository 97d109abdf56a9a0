import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('a dynamic block has a name and arguments', () => {
  expect(first('#+begin: clocktable :scope file\na\n#+END\n')).toMatchObject({
    type: 'dynamic-block',
    blockName: 'clocktable',
    arguments: ':scope file',
    children: [{ type: 'paragraph' }],
  })
  expect(first('#+begin:\na\n#+end:\n')).toMatchObject({ type: 'keyword', key: 'BEGIN' })
})

test.each(['\u2028', '\ufeff', '\v'])('a block may be called %j', (name) => {
  expect(first(`#+begin: ${name} x\n#+end:\n`)).toMatchObject({ blockName: name, arguments: 'x' })
})
