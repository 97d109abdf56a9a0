import { expect, test } from 'vitest'
import { expandNoweb } from '../src/noweb.ts'
import { parse } from '../src/parse.ts'
import { sourceBlocks } from '../src/source.ts'

function expanded(text: string) {
  const blocks = sourceBlocks(parse(text), text)
  return expandNoweb(blocks.at(-1)!, blocks)
}

const parts = `#+name: one
#+begin_src sh
a
<<two>>
#+end_src
#+begin_src sh :noweb-ref many :noweb-sep "\\n\\n"
x
#+end_src
#+begin_src sh :noweb-ref many
y
#+end_src
`
const block = (header: string, body: string) => `#+begin_src sh ${header}\n${body}\n#+end_src\n`

test.each([
  ['# <<one>>', '# a\n# <<two>>', [13, 4]],
  ['if x\n  <<many>>\nfi', 'if x\n  x\n  \n  y\nfi', [13, 7, 9, 10, 15]],
  ['<<nobody>>b', 'b', [13]],
  ['<< one >>', '<< one >>', [13]],
])('%j', (body, text, lines) => {
  expect(expanded(parts + block(':noweb yes', body))).toMatchObject({ text, lines })
})

test('lines lead back to the blocks they came from', () => {
  const { lines } = expanded(parts + block(':noweb yes', 'if x\n  <<one>>\nfi'))
  expect(lines).toEqual([13, 3, 4, 15])
})

test('without :noweb nothing happens, and missing names are told', () => {
  expect(expanded(parts + block('', '<<one>>')).text).toBe('<<one>>')
  expect(expanded(parts + block(':noweb strip-tangle', 'a<<one>>b')).text).toBe('ab')
  expect(expanded(parts + block(':noweb yes', '<<nobody>>')).missing).toEqual([
    { name: 'nobody', line: 13 },
  ])
})

test('a circle is an error with a line', () => {
  const circle = '#+name: loop\n#+begin_src sh :noweb yes\n<<loop>>\n#+end_src\n'
  expect(() => expanded(circle)).toThrow('loop → loop')
})
