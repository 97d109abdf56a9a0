import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type BodyRequest,
  type EditableBlock,
  type ResultRequest,
  type ResultRows,
  setBlockBody,
  setBlockResult,
  setHeaderArgument,
} from '../../src/edit/block.ts'
import { applyPatches, type Patch } from '../../src/edit/edit.ts'
import { parse } from '../../src/parse/parse.ts'
import type { SrcBlock } from '../../src/tree/lesser-elements.ts'
import type { OrgData } from '../../src/tree/nodes.ts'
import { walk } from '../../src/tree/query.ts'

type Edit<B> = (text: string, tree: OrgData, block: B) => Patch[]
function edited<B extends EditableBlock = SrcBlock>(text: string, edit: Edit<B>): string {
  const tree = parse(text)
  let found: B | undefined
  walk(tree, (node) => {
    if (/^(?:src|example|export|comment)-block$/.test(node.type)) found ??= node as B
  })
  return applyPatches(text, edit(text, tree, found!))
}

test.each<[string, string, BodyRequest, string]>([
  ['#+begin_src sh\n#+end_src', 'ls', {}, '#+begin_src sh\n  ls\n#+end_src'],
  ['#+begin_src c\n  x\n#+end_src\n', '', {}, '#+begin_src c\n#+end_src\n'],
  [
    '- a\n  #+begin_src org\n    * x\n  #+end_src\n',
    '* y\n\n  #+z\n',
    {},
    '- a\n  #+begin_src org\n    ,* y\n\n      ,#+z\n  #+end_src\n',
  ],
  ['#+begin_example -i\n#+end_example\n', ' x', {}, '#+begin_example -i\n x\n#+end_example\n'],
  ['#+begin_export html\n#+end_export\n', '*', {}, '#+begin_export html\n,*\n#+end_export\n'],
  [
    '#+begin_src c\r\n  x\r\n#+end_src\r\n',
    'x\ny',
    { contentIndentation: 8 },
    '#+begin_src c\r\n\tx\r\n\ty\r\n#+end_src\r\n',
  ],
])('%j with %j', (text, body, request, expected) => {
  expect(edited<EditableBlock>(text, (...at) => setBlockBody(at[0], at[2], body, request))).toBe(
    expected,
  )
})

test.each([
  ['sh', 'results', 'output', 'sh :results output'],
  ['sh -n :var x=":dir y" :dir /', 'dir', 'z', 'sh -n :var x=":dir y" :dir z'],
  ['sh :a 1 :b 2 :a 3', 'a', null, 'sh :a 1 :b 2'],
  ['sh :a 1 :b 2', 'a', '', 'sh :a :b 2'],
  ['sh', 'a', null, 'sh'],
])('%s with %s %j', (head, name, value, expected) => {
  const block = (line: string) => `#+begin_src ${line}\n#+end_src\n`
  const set: Edit<SrcBlock> = (...at) => setHeaderArgument(at[0], at[2], name, value)
  expect(edited(block(head), set)).toBe(block(expected))
})

test('an argument has a name and one line', () => {
  const block = '#+begin_src sh\n#+end_src\n'
  expect(() => edited(block, (...at) => setHeaderArgument(at[0], at[2], 'a b', '1'))).toThrow(
    'name',
  )
  expect(() => edited(block, (...at) => setHeaderArgument(at[0], at[2], 'a', '1\n'))).toThrow(
    'line',
  )
})

const block = '#+begin_src sh\necho\n#+end_src\n'
test.each<[string, string | ResultRows | null, ResultRequest, string]>([
  [block, 'a\n\nb', {}, `${block}\n#+RESULTS:\n: a\n: \n: b\n`],
  [`${block}Text.\n`, 'a', {}, `${block}\n#+RESULTS:\n: a\n\nText.\n`],
  [`${block}\n#+results:\n: a\n: b\n\n: c\n`, 'd', {}, `${block}\n#+results:\n: d\n\n: c\n`],
  [`${block}\n#+RESULTS:\n: a\n`, null, {}, `${block}\n#+RESULTS:\n`],
  [
    `${block}\n#+RESULTS[ab]:\n: a\n`,
    'a',
    { hash: 'cd', format: 'drawer' },
    `${block}\n#+RESULTS[cd]:\n:results:\na\n:end:\n`,
  ],
  [
    `#+name: x\n${block}* b\n#+RESULTS: x\n| 1 |\n`,
    '|a|\n|bc',
    { format: 'raw' },
    `#+name: x\n${block}* b\n#+RESULTS: x\n| a  |\n| bc |\n`,
  ],
  [
    '- a\n  #+begin_src sh\n  #+end_src\n- b\n',
    '* x',
    { wrap: 'export html x' },
    '- a\n  #+begin_src sh\n  #+end_src\n\n  #+RESULTS:\n  #+begin_export html x\n  ,* x\n  #+end_export\n\n- b\n',
  ],
  [
    block,
    [['a', 'b|c'], null, [10, 'd\ne']],
    {},
    `${block}\n#+RESULTS:\n|  a | b\\vert{}c |\n|----+-----------|\n| 10 | d e       |\n`,
  ],
  [
    block,
    ['a', ['b', 2]],
    { type: 'list', format: 'drawer' },
    `${block}\n#+RESULTS:\n:results:\n- a\n- b\n  2\n:end:\n`,
  ],
  [block, 'a.png', { type: 'file', description: 'A' }, `${block}\n#+RESULTS:\n[[file:a.png][A]]\n`],
])('%j prints %j with %j', (text, output, request, expected) => {
  expect(edited(text, (...at) => setBlockResult(...at, output, request))).toBe(expected)
  expect(edited(expected, (...at) => setBlockResult(...at, output, request))).toBe(expected)
})

test('rows join the table that they are appended to', () => {
  const text = `- a\n  #+begin_src sh\n  #+end_src\n\n  #+RESULTS:\n  | a |\n`
  const append: Edit<SrcBlock> = (...at) =>
    setBlockResult(...at, [['bc', 1]], { placement: 'append' })
  expect(edited(text, append)).toBe(`${text.replace('| a |', '| a  |   |')}  | bc | 1 |\n`)
})

test('a body that is written can be read', () => {
  const line = fc.constantFrom(
    '',
    'a',
    '* a',
    ',* a',
    '#+end_src',
    ' ,#+x',
    ':END:',
    '- b',
    '\u2028* c',
  )
  const lines = fc.array(line, { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(lines, fc.constantFrom('\n', '\r\n'), (body, newline) => {
      const text = ['- item', '  #+begin_src x', '    old', '  #+end_src'].join(newline)
      const put = `${body.join('\n')}\n`
      const write: Edit<SrcBlock> = (...at) => setBlockBody(at[0], at[2], put)
      const after = edited(text, write)
      const read = bodyOf(after)
        .replaceAll('\r\n', '\n')
        .replace(/(?<![^\n]) {4}/g, '')
      expect(read).toBe(put)
      expect(edited(after, write)).toBe(after)
    }),
  )
})

function bodyOf(text: string): string {
  let value = ''
  walk(parse(text), (node) => {
    if (node.type === 'src-block') value = node.value
  })
  return value
}
