import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('fixed-width text loses its marks', () => {
  expect(first(': x\n:\n  :   y\n')).toMatchObject({ type: 'fixed-width', value: 'x\n\n  y' })
  expect(first(':smile\n')).toMatchObject({ type: 'paragraph' })
})
