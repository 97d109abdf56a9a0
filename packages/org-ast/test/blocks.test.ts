import { expect, test } from 'vitest'
import { parse } from '../src/parse.ts'
import { sketch } from './sketch.ts'

test('blocks hold elements, objects, or text, by their name', () => {
  expect(sketch(parse('#+begin_quote\na\n#+END_QUOTE\n'))).toBe(
    '(section (quote-block (paragraph "a\\n")))',
  )
  expect(sketch(parse('#+begin_warning x\n- a\n#+end_warning\n'))).toBe(
    '(section (special-block (plain-list (item (paragraph "a\\n")))))',
  )
  const unclosed = parse('#+begin_quote\na\n').children[0]!.children
  expect(unclosed.map((node) => node.type)).toEqual(['paragraph'])
})

test('the first line of a source block has three parts', () => {
  const text = '#+name: x\n#+begin_src sh -n 5 -r :tangle a.sh :var x=1\necho\n#+end_src\n'
  expect(parse(text).children[0]!.children[0]).toMatchObject({
    type: 'src-block',
    name: 'x',
    language: 'sh',
    switches: '-n 5 -r',
    parameters: ':tangle a.sh :var x=1',
    value: 'echo\n',
  })
})

test('a drawer with anything but properties is an ordinary drawer', () => {
  expect(sketch(parse('* a\n:properties:\n:id: 1\n:end:\n'))).toBe(
    '(headline "a" (section (property-drawer (node-property))))',
  )
  expect(sketch(parse('* a\n:properties:\nx\n:end:\n'))).toBe(
    '(headline "a" (section (drawer (paragraph "x\\n"))))',
  )
})
