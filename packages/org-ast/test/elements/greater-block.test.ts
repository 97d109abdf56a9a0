import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test('a block holds elements, if it is closed', () => {
  expect(sketch(parse('#+begin_quote\na\n#+END_QUOTE\n'))).toBe(
    '(section (quote-block (paragraph "a\\n")))',
  )
  expect(sketch(parse('#+begin_warning x\n- a\n#+end_warning\n'))).toBe(
    '(section (special-block (plain-list (item (paragraph "a\\n")))))',
  )
  expect(sketch(parse('#+begin_quote\na\n'))).toMatch(/^\(section \(paragraph "#\+begin/)
})

test.each([
  ['#+begin_quote\n\n\na\n#+end_quote\n', '(quote-block (paragraph "\\n") (paragraph "a\\n"))'],
  ['#+begin: x\n  \na\n#+end:\n', '(dynamic-block (paragraph "  \\na\\n"))'],
  ['#+begin_x\r\n\r\n#+end_x\r\n', '(special-block (paragraph "\\r\\n"))'],
  [
    '#+begin_x\n \n- a\n#+end_x\n',
    '(special-block (paragraph " \\n") (plain-list (item (paragraph "a\\n"))))',
  ],
  [':d:\n\na\n:end:\n', '(drawer (paragraph "a\\n"))'],
])('the blank start of %j', (text, expected) => {
  expect(sketch(parse(text))).toBe(`(section ${expected})`)
})
