import { expect, test } from 'vitest'
import { unclosedBlocks } from '../src/lint-blocks.ts'
import { lintDocument } from '../src/rule.ts'

function found(text: string): string[] {
  const marks = [...unclosedBlocks(lintDocument('/book/a.org', text))]
  return marks.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

test('a block that is not closed is told at its first line', () => {
  expect(found('* a\n  #+begin_src ts\nx\n* b\n')).toEqual(['2:3 #+begin_src is never closed'])
  expect(found('#+END_quote\n')).toEqual(['1:1 #+END_quote ends nothing'])
  expect(found('* a\n:PROPERTIES:\n:a: b\n\nx\n')).toEqual(['2:1 :PROPERTIES: is never closed'])
  expect(found('#+begin: x\na\n')).toEqual(['1:1 #+begin: is never closed'])
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
