import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

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

test.each([
  ['#+TODO: A B |\n', ['A'], ['B']],
  ['#+TODO: A B |\n#+SEQ_TODO: C D\n', ['A', 'B', 'C'], ['D']],
  ['#+TODO: A | B\n#+TODO: B | C\n', ['A'], ['B', 'C']],
  ['#+TODO: A(b)c D(x/!) | E(e@\n', ['A(b)c', 'D'], ['E(e@']],
  ['#+TODO: A\n', [], ['A']],
  ['#+TODO: A | B | C\n', ['A'], ['B', 'C']],
  ['#+TODO:\n', [], []],
])('%j declares open %j and done %j', (text, todoKeywords, doneKeywords) => {
  expect(parse(text)).toMatchObject({ todoKeywords, doneKeywords })
})

test('an example declares nothing, a setup file does', () => {
  const text = '#+begin_example\n#+todo: A | B\n#+end_example\n#+setupfile: "x.org"\n* C a\n'
  const readFile = (path: string) =>
    path === 'x.org' ? '#+setupfile: x.org\n#+todo: C | D\n' : null
  expect(parse(text, { readFile }).todoKeywords).toEqual(['C'])
  expect(parse(text).todoKeywords).toEqual(['TODO'])
  const around = '#+begin_example\n*** a\n#+todo: A | B\n#+end_example\n'
  expect(parse(around, { inlinetaskLevel: 3 }).todoKeywords).toEqual(['TODO'])
})
