import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('a drawer holds elements', () => {
  expect(first(':Notes:\n\n- a\n:END:\n')).toMatchObject({
    type: 'drawer',
    drawerName: 'Notes',
    preBlank: 1,
    children: [{ type: 'plain-list' }],
  })
  expect(first(':smile: she said\n:end:\n')).toMatchObject({ type: 'paragraph' })
  expect(first(':a:\nb\n')).toMatchObject({ type: 'paragraph' })
})
