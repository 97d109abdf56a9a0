import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orga, parseWithOrga } from '../../src/interop/orga.ts'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test.each([
  '* TODO [#A] Head *b* :tag:\n',
  'one /two/ =three= ~four~ +five+\n',
  '#+begin_src sh :x y\ncode\n#+end_src\n',
  '| a | b |\n|---+---|\n| 1 | 2 |\n',
  '-----\n',
  '* a\n:PROPERTIES:\n:ID: 1\n:END:\n** b\n',
])('%j', (text) => {
  expect(sketch(parse(text, { engine: orga }))).toBe(sketch(parse(text)))
})

test('what orga does not know is left as words and reported with its line', () => {
  const { tree, dropped } = parseWithOrga('* a\n{{{macro}}} \\alpha\non <2026-01-01 Thu>\n# c\n')
  expect(sketch(tree)).toContain('{{{macro}}}')
  expect(dropped).toEqual([
    { type: 'macro', line: 2 },
    { type: 'entity', line: 2 },
    { type: 'timestamp', line: 3 },
    { type: 'comment', line: 4 },
  ])
})

test('a section that orga cannot read is one paragraph, and the next is read again', () => {
  const deep = Array.from({ length: 1_500 }, (_, depth) => `${' '.repeat(depth)}- a\n`).join('')
  const { tree, dropped } = parseWithOrga(`* a\n${deep}* b\n/c/\n`)
  expect(dropped).toEqual([{ type: 'error', line: 1 }])
  expect(sketch(tree)).toContain('italic')
})

test('whatever the text, it is read', () => {
  const words = '* a;** TODO b;- c;  1. d;| e |;#+begin_src;#+end_src;:PROPERTIES:;:END:;*f;[[g];'
  const line = fc.constantFrom(...words.split(';'))
  const text = fc.array(fc.oneof(line, fc.string())).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, (given) => {
      expect(parseWithOrga(given).tree.type).toBe('org-data')
    }),
    { numRuns: 50 },
  )
})
