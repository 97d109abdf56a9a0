import { expect, test } from 'vitest'
import type { Mark } from '../../src/lint/rule.ts'
import { tabs, trailingSpace } from '../../src/lint/space.ts'
import { parsedDocument } from '../../src/project/parsed-document.ts'

const document = (text: string) => parsedDocument('/book/a.org', text)
const places = (marks: Iterable<Mark>) => [...marks].map(({ line, column }) => `${line}:${column}`)

test('blanks at the end of a line are marked where they begin', () => {
  expect(places(trailingSpace(document('a \nb\n \t\nc  \r\nd\r\n')))).toEqual(['1:2', '3:1', '4:2'])
})

test('a tab is marked once for a line, and not in a makefile', () => {
  const text =
    'a\tb\tc\n#+begin_src makefile\na:\n\techo\n#+end_src\n#+begin_src sh\n\ta\n#+end_src\n'
  expect(places(tabs(document(text)))).toEqual(['1:2', '7:1'])
})
