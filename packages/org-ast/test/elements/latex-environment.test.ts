import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('an environment ends where a line ends with its end', () => {
  const text = '\\begin{align*}\n- a\n x \\end{ALIGN*}\n'
  expect(first(text)).toMatchObject({ type: 'latex-environment', value: text })
  expect(first('\\begin{a}x\\end{a}\n')).toMatchObject({ type: 'latex-environment' })
  expect(first('\\begin{a}\n\\end{b}\n')).toMatchObject({
    type: 'paragraph',
    children: [{ value: '\\begin{a}' }, {}, {}, {}],
  })
})
