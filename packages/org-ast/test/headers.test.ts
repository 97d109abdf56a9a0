import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inheritedArguments, parseHeaderArguments } from '../src/headers.ts'
import type { Headline } from '../src/nodes.ts'
import { parse } from '../src/parse.ts'

test.each([
  [
    ':tangle a.ts :mkdirp yes',
    [
      ['tangle', 'a.ts'],
      ['mkdirp', 'yes'],
    ],
  ],
  [':tangle my file.ts', [['tangle', 'my file.ts']]],
  [
    ':tangle c:/x :noweb',
    [
      ['tangle', 'c:/x'],
      ['noweb', ''],
    ],
  ],
  [
    ':shebang "#!/bin/sh :not" :x 1',
    [
      ['shebang', '#!/bin/sh :not'],
      ['x', '1'],
    ],
  ],
  [
    ':tangle (f :a "b") :x 1',
    [
      ['tangle', '(f :a "b")'],
      ['x', '1'],
    ],
  ],
  ['', []],
])('%s', (line, expected) => {
  expect(parseHeaderArguments(line)).toEqual(expected)
})

test('any line can be read', () => {
  fc.assert(fc.property(fc.string(), (line) => Array.isArray(parseHeaderArguments(line))))
})

test('a drawer replaces, a plus adds, a language wins', () => {
  const tree = parse(
    '* a\n:PROPERTIES:\n:header-args: :tangle a.sh\n:END:\n** b\n:PROPERTIES:\n:header-args+: :noweb yes\n:END:\n',
  )
  const a = tree.children[0] as Headline
  const b = a.children.at(-1) as Headline
  const file = new Map([
    ['HEADER-ARGS', ':mkdirp yes :tangle f'],
    ['HEADER-ARGS:SH', ':tangle x.sh'],
  ])
  expect([...inheritedArguments([a, b], file, 'python')].flat()).toEqual([
    'tangle',
    'a.sh',
    'noweb',
    'yes',
  ])
  expect(inheritedArguments([a, b], file, 'sh').get('tangle')).toBe('x.sh')
  expect(inheritedArguments([], file, 'python').get('mkdirp')).toBe('yes')
})
