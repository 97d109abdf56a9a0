import { expect, test } from 'vitest'
import { parse } from '../src/parse.ts'
import { sketch } from './sketch.ts'

test('a block holds elements, if it is closed', () => {
  expect(sketch(parse('#+begin_quote\na\n#+END_QUOTE\n'))).toBe(
    '(section (quote-block (paragraph "a\\n")))',
  )
  expect(sketch(parse('#+begin_warning x\n- a\n#+end_warning\n'))).toBe(
    '(section (special-block (plain-list (item (paragraph "a\\n")))))',
  )
  expect(sketch(parse('#+begin_quote\na\n'))).toMatch(/^\(section \(paragraph "#\+begin/)
})
