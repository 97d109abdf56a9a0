import { expect, test } from 'vitest'
import { printContents } from '../../src/stringify/elements.ts'
import { Printer, type StringifyOptions } from '../../src/stringify/objects.ts'
import type { Draft } from '../../src/tree/draft.ts'
import type { OrgElement } from '../../src/tree/nodes.ts'

const print = (element: Draft<OrgElement>, options: StringifyOptions = {}) =>
  printContents([element], new Printer(options))

test('each line has its mark', () => {
  expect(print({ type: 'comment', value: 'a\n\nb' })).toBe('# a\n# \n# b\n')
  expect(print({ type: 'comment', value: '' })).toBe('#\n')
  expect(print({ type: 'fixed-width', value: 'a' })).toBe(': a\n')
  expect(print({ type: 'fixed-width', value: '' })).toBe(':\n')
  expect(print({ type: 'keyword', key: 'TITLE', value: 'x' })).toBe('#+title: x\n')
  expect(print({ type: 'horizontal-rule', postBlank: 1 })).toBe('-----\n\n')
})

test('code is indented and escaped', () => {
  const source = { type: 'src-block', language: 'sh', value: '    a\n      *b\n\n' } as const
  expect(print(source)).toBe('#+begin_src sh\n  a\n    ,*b\n#+end_src\n')
  expect(print(source, { contentIndentation: 0 })).toBe('#+begin_src sh\na\n  ,*b\n#+end_src\n')
  expect(print({ ...source, switches: '-i', parameters: ':x y' })).toBe(
    '#+begin_src sh -i :x y\n    a\n      ,*b\n#+end_src\n',
  )
  expect(print({ type: 'example-block', value: '* a' })).toBe(
    '#+begin_example\n  ,* a\n#+end_example\n',
  )
})

test('an export block keeps the commas that it needs', () => {
  const value = '* a\n  * b\n*b*\n,#+c\n#+d\n'
  expect(print({ type: 'export-block', backend: 'HTML', value })).toBe(
    '#+begin_export HTML\n,* a\n  * b\n*b*\n,,#+c\n#+d\n#+end_export\n',
  )
  expect(print({ type: 'export-block', value: '' })).toBe('#+begin_export\n#+end_export\n')
})

test('single lines', () => {
  const start = { year: 2026, month: 11, day: 21 }
  const stamp = { type: 'timestamp', start, timestampType: 'inactive' } as const
  expect(print({ type: 'planning', closed: stamp, deadline: stamp })).toBe(
    'DEADLINE: [2026-11-21 Sat] CLOSED: [2026-11-21 Sat]\n',
  )
  expect(print({ type: 'clock', value: stamp, duration: '1:05' })).toBe(
    'CLOCK: [2026-11-21 Sat] =>  1:05\n',
  )
  expect(
    print({ type: 'property-drawer', children: [{ type: 'node-property', key: 'A', value: 'b' }] }),
  ).toBe(':PROPERTIES:\n:A:        b\n:END:\n')
  expect(print({ type: 'babel-call', call: 'f', endHeader: ':x y' })).toBe('#+call: f() :x y\n')
})
