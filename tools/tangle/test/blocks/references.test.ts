import { parse } from 'org-ast'
import { expect, test } from 'vitest'
import { printLisp } from '../../src/blocks/lisp.ts'
import { resolveReference } from '../../src/blocks/references.ts'

const world = { env: {}, home: '/', file: '/a.org', platform: 'linux' }
const read = (name: string, text: string) =>
  printLisp(resolveReference(name, { tree: parse(text), text, world }))

const table = '#+name: t\n| a | 1 |\n|---+---|\n| (b) | "x y" |\n'

test.each([
  ['t', table, '(("a" 1) hline ("(b)" "x y"))'],
  ['t[0,1]', table, '1'],
  ['t[-1]', table, '("(b)" "x y")'],
  ['t[0:2,0]', table, '("a" hline "(b)")'],
  ['t[,0]', table, '("a" hline "(b)")'],
  ['l', '#+name: l\n- a\n  b\n  - c\n- 2\n', '("a\nb" 2)'],
  ['n', '#+name: n\n: 42\n', '42'],
  ['e', '#+name: e\n#+begin_example\n  a\n#+end_example\n', '"a\n"'],
  ['p', '* COMMENT x\n#+name: p\nno\n* y\n#+name: p\nyes\n', '"yes\n"'],
  ['p', '#+name: p\n[[file:x/y.txt][there]]\n', '"/x/y.txt"'],
  ['c[]', '#+name: c\n#+begin_src sh\necho\n#+end_src\n', '"echo\n"'],
])('%s in %j', (name, text, expected) => {
  expect(read(name, text)).toBe(expected)
})

test.each([
  ['c', 'would have to be evaluated'],
  ['c(x=1)', 'would have to be evaluated'],
  ['d', 'nothing here is named d'],
])('%s is an error', (name, message) => {
  expect(() => read(name, '#+name: c\n#+begin_src sh\necho\n#+end_src\n')).toThrow(message)
})
