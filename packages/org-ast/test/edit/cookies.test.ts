import { expect, test } from 'vitest'
import { updateAllCookies, updateCookies } from '../../src/edit/cookies.ts'
import { applyPatches } from '../../src/edit/edit.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

function updated(text: string): string {
  const tree = parse(text)
  const [headline] = [...headlines(tree)]
  return applyPatches(text, updateCookies(text, tree, headline!))
}

test('tags stay in their column', () => {
  const items = '- [X] a\n'.repeat(9)
  const spaces = (count: number) => ' '.repeat(count)
  const text = `* 早 [8/9]${spaces(64)}:a:\n${items}- [X] last\n`
  expect(updated(text)).toBe(`* 早 [10/10]${spaces(62)}:a:\n${items}- [X] last\n`)
})

test.each([
  ['* a [/] [%]\n- [X] b\n', '* a [1/1] [100%]\n- [X] b\n'],
  ['* a [/]\n** DONE b\n** TODO c\n** d\n', '* a [1/2]\n** DONE b\n** TODO c\n** d\n'],
  ['* a [/] [%]\n', '* a [0/0] [100%]\n'],
])('%j is counted', (text, expected) => {
  expect(updated(text)).toBe(expected)
})

test('all cookies of a file', () => {
  const text = '- [X] a [/]\n  - [ ] b\n* c [/]\n- [X] d [%]\n** TODO e\n*** f [2/3]\n'
  const tree = parse(text)
  expect(applyPatches(text, updateAllCookies(text, tree, null))).toBe(
    '- [X] a [0/1]\n  - [ ] b\n* c [0/1]\n- [X] d [0%]\n** TODO e\n*** f [0/0]\n',
  )
})
