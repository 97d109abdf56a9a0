import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chainProperty, inheritedArguments, parseHeaderArguments } from '../../src/babel/headers.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline } from '../../src/tree/nodes.ts'

test.each([
  [':tangle a.ts :mkdirp yes', { tangle: 'a.ts', mkdirp: 'yes' }],
  [':tangle my file.ts', { tangle: 'my file.ts' }],
  [':tangle c:/x :noweb', { tangle: 'c:/x', noweb: '' }],
  [':shebang "#!/bin/sh :not" :x 1', { shebang: '#!/bin/sh :not', x: '1' }],
  [':sep "\\n\\x41\\u00e9\\101" :x "\\"', { sep: '\nA\u00e9A', x: '"\\"' }],
  [':tangle (f :a "b") :x 1', { tangle: '(f :a "b")', x: '1' }],
  [':tangle (f :a ] :x 1', { tangle: '(f', a: ']', x: '1' }],
  [':a ([) :b 1] :c 2', { a: '([) :b 1]', c: '2' }],
  ['tangle a :b "x', { b: '"x' }],
  ['', {}],
])('%s', (line, expected) => {
  expect(Object.fromEntries(parseHeaderArguments(line))).toEqual(expected)
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
  const of = (chain: Headline[], language: string) =>
    Object.fromEntries(
      inheritedArguments([tree, ...chain], file, language).map(({ key, value }) => [key, value]),
    )
  expect(of([a, b], 'python')).toEqual({ tangle: 'a.sh', noweb: 'yes' })
  expect(of([a, b], 'sh').tangle).toBe('x.sh')
  expect(of([], 'python').mkdirp).toBe('yes')
})

test('a document has a drawer, and a headline may want nothing', () => {
  const tree = parse(
    ':PROPERTIES:\n:x: 1\n:y+: 2\n:END:\n* a\n:PROPERTIES:\n:x: nil\n:END:\n** b\n',
  )
  const a = tree.children[1] as Headline
  const file = new Map([
    ['X', '3'],
    ['Y', '4'],
  ])
  expect(chainProperty([tree], file, 'x')).toBe('1')
  expect(chainProperty([tree, a], file, 'x')).toBeNull()
  expect(chainProperty([tree, a], file, 'y')).toBe('4 2')
})
