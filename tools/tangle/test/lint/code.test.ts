import { expect, test } from 'vitest'
import { tangleText } from '../../src/blocks/targets.ts'
import { unparsable, unparsableBlocks } from '../../src/lint/code.ts'
import type { LintBook } from '../../src/lint/rule.ts'
import { parsedDocument } from '../../src/project/parsed-document.ts'

function found(text: string): string[] {
  const document = parsedDocument('/book/a.org', text)
  const targets = tangleText(document.file, text).targets.map((target) => {
    return { ...target, document: document.file }
  })
  const book = { book: { targets }, document: () => document } as unknown as LintBook
  return [...unparsable(book)].map(({ line, column, message }) => `${line}:${column} ${message}`)
}

const block = (body: string) => `#+begin_src typescript :tangle x.ts\n${body}\n#+end_src\n`

test('a script has to parse as a whole', () => {
  const whole = block('export function f(): void {') + block('  f()\n}')
  expect(found(whole)).toEqual([])
  expect(found(`${whole}- so\n  ${block('  g(1;').replaceAll('\n', '\n  ')}`)).toEqual([
    "10:8 TS1005: ')' expected.",
  ])
  expect(found(block('enum A { b }\nclass C { constructor(readonly d: A) {} }'))).toEqual([])
})

test('JSON has to parse', () => {
  const json = (body: string) => `#+begin_src json :tangle x.json\n${body}\n#+end_src\n`
  expect(found(json('{ "a": 1 }'))).toEqual([])
  expect(found(json('{\n  "a": 1,\n}'))).toEqual([expect.stringMatching(/^4:1 .*property name/)])
  expect(found(json('{\n  "a": [1'))).toEqual([expect.stringMatching(/^3:\d+ /)])
})

test('what is only shown has to parse by itself', () => {
  const shown = (language: string, body: string) => `#+begin_src ${language}\n${body}\n#+end_src\n`
  const text = [
    shown('json', '{\n  "a": 1\n}'),
    shown('ts', 'f(\n  ...)\n}'),
    shown('js', '<<x>>}'),
    shown('json', '{\n  "a": ...'),
    shown('sh', '}'),
  ].join('')
  const document = parsedDocument('/book/a.org', text)
  const marks = [...unparsableBlocks({ documents: [document] } as unknown as LintBook)]
  expect(marks.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '8 TS1109: Expression expected.',
    "16 Unexpected token '.'",
  ])
})
