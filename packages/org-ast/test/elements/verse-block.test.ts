import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test('a verse is one text', () => {
  expect(sketch(parse('#+begin_verse\n- a *b\n\nc*\n#+end_verse\n'))).toBe(
    '(section (verse-block "- a " (bold "b\\n\\nc") "\\n"))',
  )
})
