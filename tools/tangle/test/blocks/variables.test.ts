import { parse } from 'org-ast'
import { expect, test } from 'vitest'
import { assignments, type Variable, variablesOf } from '../../src/blocks/variables.ts'

const text = '#+name: t\n| a | b |\n|---+---|\n| 1 | x |\n'
const library = {
  tree: parse(text),
  text,
  world: { env: {}, home: '/', file: '/a.org', platform: 'linux' },
}
const of = (...values: string[]): Variable[] => variablesOf(values, () => undefined, library)

test.each([
  [
    ['a=1 b="x y"', "c='(1 2)"],
    [
      ['a', '1'],
      ['b', '"x y"'],
      ['c', "'(1 2)"],
    ],
  ],
  [
    ['a=1 b = 2', 'a=3'],
    [
      ['b', '2'],
      ['a', '3'],
    ],
  ],
  [
    ['a=1 b=2', '5'],
    [
      ['a', '5'],
      ['b', '2'],
    ],
  ],
  [['a=t'], [['a', '\'((1 "x"))']]],
  [['a=t[0,0]'], [['a', '"a"']]],
])('%j', (values, expected) => {
  const shown = assignments('emacs-lisp', of(...values), () => undefined)
  const inner = expected.map(([name, value]) => `(${name} '${value!.replace(/^'/, '')})`)
  expect(shown).toEqual({ kind: 'let', head: `(let (${inner.join('\n      ')})\n`, tail: '\n)' })
})

test('a value without a name needs a place', () => {
  expect(() => of('5')).toThrow('has no value')
})

test.each([
  ['sh', "a=it's", ''],
  ['sh', 'a="it\'s" b=2', `a='it'"'"'s'\nb='2'`],
  ['sh', 'a=t', `a='1\tx'`],
  ['bash', "a='(1 2)", `unset a\ndeclare -a a=( '1' '2' )`],
  ['bash', 'a=t', `unset a\ndeclare -A a\na['1']='x'`],
  ['fish', 'a=1', `set a '1'`],
  ['python', 'a=t b="x\ny" c=1.0', `a=[[1, "x"]]\nb="""x\ny"""\nc=1.0`],
  ['js', 'a="x\ny"', 'var a="x\\ny";'],
  ['octave', "a=t b='(1 2)", `a=[[1,'x']];\nb=[1,2];`],
])('%s %s', (language, value, expected) => {
  const shown = () => assignments(language, of(value), () => undefined)
  if (expected === '') expect(shown).toThrow('nothing here')
  else expect((shown() as { lines: string[] }).lines.join('\n')).toBe(expected)
})
