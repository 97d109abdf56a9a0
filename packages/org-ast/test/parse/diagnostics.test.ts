import fc from 'fast-check'
import { expect, test } from 'vitest'
import { conflictMarkers, diagnostics } from '../../src/parse/diagnostics.ts'
import { parse } from '../../src/parse/parse.ts'
import { LineIndex } from '../../src/text/lines.ts'

function found(text: string): string[] {
  const lines = new LineIndex(text)
  return diagnostics(parse(text), text).map(({ offset, message }) => {
    const { line, column } = lines.point(offset)
    return `${line}:${column} ${message}`
  })
}

const marked = (text: string) => conflictMarkers(text).map(({ offset }) => lineAt(text, offset))
const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

test.each([7, 9, 11, 32])('the markers of a merge are found, of %i signs', (size) => {
  const [open, bars, middle, close] = ['<', '|', '=', '>'].map((sign) => sign.repeat(size))
  expect(marked(`${open} ours\na\n${bars} base\n${middle}\nb\n${close} theirs\r\n`)).toEqual([
    1, 3, 4, 6,
  ])
  expect(marked(`${open}\na\n${bars}\n${middle}\r\nb\n${close}`)).toEqual([1, 3, 4, 6])
  expect(marked(`a\n${middle}\nb\n${close} theirs\n`)).toEqual([2, 4])
  expect(marked(`${open} ours\na\n${middle}\nb\n`)).toEqual([1, 3])
})

test('the separator that was overlooked is found alone', () => {
  expect(marked('one side\n=======\nthe other\n')).toEqual([2])
  expect(marked('=======\n')).toEqual([1])
})

test.each([
  ['a fixed-width line', ': <<<<<<< ours\n'],
  ['a quotation in a quotation', '>> a\n>>>>>> b\n> > > > > > > c\n'],
  ['an empty row of a table', '| a |\n||||||||\n|||||||| 5 |\n'],
  ['a heading of Markdown', 'Install\n=======\n\nA longer one\n============\n'],
  ['a heading of reStructuredText', '=======\nInstall\n=======\n'],
  ['the output of a program', '==================\n FAILURES\n==========\n'],
  ['rows of another length', '<<<<<<<<< a\n>>>>>>>>> b\n============\n'.slice(24)],
  ['an operator', '<<<<<<<a\n=======>\n|||||||\u2009a\n'],
  ['an indented example', '  <<<<<<< ours\n'],
])('%s is no marker', (_, text) => {
  expect(marked(text)).toEqual([])
})

test('no text hides the markers around it', () => {
  const line = fc.string().map((text) => text.replace(/[\n\r]|^[<>|=]+/g, ''))
  const side = fc
    .array(line, { maxLength: 4 })
    .map((lines) => lines.map((one) => `${one}\n`).join(''))
  const size = fc.integer({ min: 7, max: 20 })
  fc.assert(
    fc.property(side, side, side, size, (before, ours, theirs, length) => {
      const [open, middle, close] = ['<', '=', '>'].map((sign) => sign.repeat(length))
      const text = `${before}${open} HEAD\n${ours}${middle}\n${theirs}${close} branch\n`
      expect(marked(text)).toHaveLength(3)
    }),
  )
})

test('a block that is not closed is told at its first line', () => {
  expect(found('* a\n  #+begin_src ts\nx\n* b\n')).toEqual(['2:3 #+begin_src is never closed'])
  expect(found('#+END_quote\n')).toEqual(['1:1 #+END_quote ends nothing'])
  expect(found('* a\n:PROPERTIES:\n:a: b\n\nx\n')).toEqual(['2:1 :PROPERTIES: is never closed'])
  expect(found('#+begin: x\na\n')).toEqual(['1:1 #+begin: is never closed'])
  expect(found(':NOTES:\n#+begin_src sh\na\n:END:\n')).toEqual(['2:1 #+begin_src is never closed'])
})

test('a block that swallows the next one is told there', () => {
  const text = '#+begin_src sh\na\n\nWords.\n\n#+begin_src sh\nb\n#+end_src\n'
  const message =
    '#+begin_src stands inside of another, which is never closed; or write ,#+begin_src'
  expect(found(text)).toEqual([`6:1 ${message}`])
  expect(found(text.replace('\n#+begin_src', '\n,#+begin_src'))).toEqual([])
})

test('what stands in a block is the affair of the block', () => {
  const whole = `* a
:PROPERTIES:
:a: b
:END:
#+name: q
#+begin_quote
#+begin_example
#+begin_src is how it begins
#+end_example
- a
  #+begin_src org
  :PROPERTIES:
  #+end_src
#+end_quote
#+begin: clocktable
#+end:
`
  expect(found(whole)).toEqual([])
})

test.each([
  ['#+begin_src sh\na\n', true],
  ['#+END_SRC\n', true],
  [':PROPERTIES:\na\n', true],
  ['<<<<<<< a\n', true],
  ['#+begin_quote\na\n', false],
  ['#+end_example\n', false],
])('%j loses code: %j', (text, expected) => {
  expect(diagnostics(parse(text), text).map(({ losesCode }) => losesCode)).toEqual([expected])
})
