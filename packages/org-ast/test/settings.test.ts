import { expect, test } from 'vitest'
import { parse } from '../src/parse.ts'

test('keywords declared at the end count from the start', () => {
  const tree = parse('* NEXT a\n* SHUT b\n#+TODO: NEXT(n) WAIT | SHUT(s@)\n#+filetags: :x:y:\n')
  expect(tree).toMatchObject({
    todoKeywords: ['NEXT', 'WAIT'],
    doneKeywords: ['SHUT'],
    filetags: ['x', 'y'],
    children: [{ todoType: 'todo' }, { todoType: 'done' }],
  })
  expect(parse('#+todo: A B\n')).toMatchObject({ todoKeywords: ['A'], doneKeywords: ['B'] })
})
