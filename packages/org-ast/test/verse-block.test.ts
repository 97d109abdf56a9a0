import { expect, test } from 'vitest'
import { parse } from '../src/parse.ts'
import { sketch } from './sketch.ts'

test('a verse is one text', () => {
  expect(sketch(parse('#+begin_verse\n- a *b\n\nc*\n#+end_verse\n'))).toBe(
    '(section (verse-block "- a " (bold "b\\n\\nc") "\\n"))',
  )
})
