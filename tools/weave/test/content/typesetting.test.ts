import { expect, test } from 'vitest'
import { typesettingFor } from '../../src/content/typesetting.ts'
import { makePage } from '../../src/pages/pages.ts'

const needed = async (text: string) =>
  Object.keys(await typesettingFor([makePage('/', '/a.org', text)]))

test('only what a page has is loaded', async () => {
  expect(await needed('A /word/.\n#+begin_src sh\na\n#+end_src\n')).toEqual([])
  expect(await needed('$x$')).toEqual(['formulas'])
  expect(await needed('[cite:@a]')).toEqual(['citations'])
  expect(await needed('#+begin_src mermaid\n#+end_src\n')).toEqual(['diagrams', 'pictures'])
})
