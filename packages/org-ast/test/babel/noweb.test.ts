import { expect, test } from 'vitest'
import { Noweb } from '../../src/babel/noweb.ts'
import { sourceBlocks } from '../../src/babel/source.ts'
import { parse } from '../../src/parse/parse.ts'
import { LineIndex } from '../../src/text/lines.ts'
import { lineNumbers } from '../../src/text/mapped.ts'

function expanded(text: string) {
  const tree = parse(text)
  const blocks = sourceBlocks(tree, text)
  const noweb = new Noweb(tree, text, blocks)
  const code = noweb.expand(blocks.at(-1)!)
  return { text: code.text, lines: lineNumbers(code, new LineIndex(text)), missing: noweb.missing }
}

const block = (header: string, body: string) => `#+begin_src sh ${header}\n${body}\n#+end_src\n`

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

test.each([
  ['# <<one>>', '# a\n# <<two>>', [13, 13]],
  ['  <<one>>', 'a\n<<two>>', [3, 4]],
  ['if x\n  <<many>>\nfi', 'if x\n  x\n  \n  y\nfi', [13, 7, 14, 10, 15]],
  ['<<one>> <<many>>.', 'a\n<<two>> x\n \n y.', [3, 4, 13, 10]],
  ['<<ONE>>', 'a\n<<two>>', [3, 4]],
  ['<<MANY>>b', 'b', [13]],
  ['<< one >> <<one >>', '<< one >> <<one >>', [13]],
  ['<<<one>> <<x>> >>y', '  >>y', [13]],
  ['<<x>>', '', []],
])('%j', (body, text, lines) => {
  expect(expanded(parts + block(':noweb yes', body))).toMatchObject({ text, lines })
})

test.each([
  ['', '<<one>>'],
  [':noweb eval', '<<one>>'],
  [':noweb strip-tangle', ''],
  [':noweb no tangle', 'a\n<<two>>'],
])('%s', (header, text) => {
  expect(expanded(parts + block(header, '<<one>>')).text).toBe(text)
})

test.each([':noweb-prefix no', ':noweb-prefix nil', ':noweb-prefix'])('%s', (header) => {
  const text = parts + block(`:noweb yes ${header}`, '# <<one>>')
  expect(expanded(text).text).toBe('# a\n<<two>>')
})

test('missing names are told', () => {
  expect(expanded(parts + block(':noweb yes', '\n<<nobody>>')).missing).toEqual([
    { name: 'nobody', line: 14 },
  ])
})

test('what was looked for before decides', () => {
  const text = `#+name: x\n${block('', 'named')}${block(':noweb-ref x', 'shared')}`
  expect(expanded(text + block(':noweb yes', '<<x>>')).text).toBe('named')
  expect(expanded(text + block(':noweb yes', '<<no>><<x>>')).text).toBe('shared')
})

test('a headline brings its text', () => {
  const text = '* a\n:PROPERTIES:\n:custom_id: Id\n:END:\nsome\n\n** b\ntext\n* c\n'
  expect(expanded(text + block(':noweb yes', '<<id>>')).text).toBe('some\n\n** b\ntext')
})

test('a circle is an error with a line', () => {
  const circle = `#+name: loop\n${block(':noweb yes', '<<loop>>')}`
  expect(() => expanded(circle)).toThrow('loop → loop')
  expect(() => expanded(parts + block(':noweb yes', '<<one()>>'))).toThrow('is a call')
})

test('depth has a bound, and angle brackets are no work', () => {
  const link = (n: number) => `#+name: n${n}\n${block(':noweb yes', `<<n${n - 1}>>`)}`
  const chain = Array.from({ length: 3000 }, (_, n) => link(n + 1)).join('')
  expect(() => expanded(`#+name: n0\n${block('', 'x')}${chain}`)).toThrow('too deeply')
  const brackets = '<<'.repeat(50_000)
  expect(expanded(block(':noweb yes', brackets)).text).toBe(brackets)
})

test('growth has a bound', () => {
  const doubled = (n: number) =>
    `#+name: n${n}\n${block(':noweb yes', `<<n${n - 1}>><<n${n - 1}>>`)}`
  const text = `#+name: n0\n${block('', 'x')}${Array.from({ length: 40 }, (_, n) => doubled(n + 1)).join('')}`
  expect(() => expanded(text)).toThrow('more than a file')
})
