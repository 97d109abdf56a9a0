import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'

function first(text: string) {
  return parse(text).children[0]!.children[0]
}

test('the first line of a source block has three parts', () => {
  const text = '#+name: x\n#+begin_src sh -n 5 -r :tangle a.sh :var x=1\n  ,* echo\n#+end_src\n'
  expect(first(text)).toMatchObject({
    type: 'src-block',
    name: 'x',
    language: 'sh',
    switches: '-n 5 -r',
    parameters: ':tangle a.sh :var x=1',
    numberLines: { type: 'new', offset: 4 },
    retainLabels: false,
    value: '  * echo\n',
  })
})

test('only a newline ends the first line', () => {
  expect(first('#+begin_src sh :x a\u2028b\n#+end_src\n')).toMatchObject({
    parameters: ':x a\u2028b',
  })
})

test('everything on the first line may be missing', () => {
  expect(first('#+begin_src c -l "(r: %s)" -i\n#+end_src\n')).toMatchObject({
    labelFmt: '(r: %s)',
    preserveIndent: true,
    parameters: null,
    value: '',
  })
  expect(first('#+BEGIN_SRC\nx\n#+END_SRC\n')).toMatchObject({
    language: null,
    switches: null,
    useLabels: true,
  })
})
