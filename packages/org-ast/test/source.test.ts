import { expect, test } from 'vitest'
import { parse } from '../src/parse.ts'
import { dedent, sourceBlocks } from '../src/source.ts'

test.each([
  ['  a\n    b\n\n  c', 'a\n  b\n\nc'],
  ['\ta\n        b', 'a\nb'],
  ['    a\n\tb', 'a\n    b'],
  ['a\n  b', 'a\n  b'],
])('dedent %j', (code, expected) => {
  expect(dedent(code)).toBe(expected)
})

test('a block knows its name, its arguments and its lines', () => {
  const text = `#+property: header-args :tangle a.sh
* COMMENT Not this
** Inside
#+begin_src sh
exit 1
#+end_src
* This
- in a list

  #+name: greet
  #+header: :mkdirp yes
  #+begin_src sh :tangle b.sh
    ,* echo hi
  #+end_src

#+begin_src
no language
#+end_src
`
  const [commented, block, ...rest] = sourceBlocks(parse(text), text)
  expect(rest).toEqual([])
  expect(commented).toMatchObject({ commented: true, line: 4 })
  expect(block).toMatchObject({ name: 'greet', language: 'sh', body: '* echo hi', line: 12 })
  expect(block?.headline?.rawValue).toBe('This')
  expect([...block!.headers]).toEqual([
    ['tangle', 'b.sh'],
    ['mkdirp', 'yes'],
  ])
})
