import { expect, test } from 'vitest'
import { expanded, formatTime, prepared } from '../../src/content/macros.ts'
import { type Finding, linesOf } from '../../src/pages/include.ts'

const now = new Date(2026, 10, 21, 9, 5, 7)
function expand(text: string) {
  const findings: Finding[] = []
  const lines = expanded(linesOf(text, '/b/a.org'), { now, findings })
  return {
    text: lines.map((line) => line.text).join('\n'),
    places: lines.map(({ line }) => line),
    findings: findings.map(({ line, message }) => `${line}: ${message}`),
  }
}
const last = (text: string) => expand(text).text.split('\n').at(-1)

test.each([
  ['#+title: T /x/\n{{{title}}}', 'T /x/'],
  ['#+macro: two $2-$1$3\n{{{two(a,b\\, c)}}}', 'b, c-a'],
  ['#+macro: in *$1*\n#+macro: out {{{in($1)}}}!\n{{{out(x)}}}', '*x*!'],
  ['#+date: [2024-02-03 Sat]\n{{{date(%d %B %Y)}}}', '03 February 2024'],
  ['#+keywords: k\n{{{keyword(keywords)}}} {{{input-file}}}', 'k a.org'],
  ['{{{n}}}{{{n}}}{{{n(x)}}}{{{n(,-)}}}{{{n(,9)}}}{{{n}}}{{{n(,r)}}}', '121291' + '01'],
  ['{{{time(%F %T)}}}', '2026-11-21 09:05:07'],
  ['* a\n:PROPERTIES:\n:P: v\n:END:\n{{{property(P)}}}', 'v'],
  ['* a\n:PROPERTIES:\n:P: v\n:END:\n* b\n{{{property(P,*a)}}}', 'v'],
  ['src_sh{x} {{{results(=a, b=)}}}', 'src_sh{x} =a, b='],
  ['#+macro: kbd (eval (upcase $1))\n{{{kbd(C-c\\, x,y)}}}', 'C-c, x'],
  [': {{{n}}}', ': {{{n}}}'],
  ['={{{n}}}=', '={{{n}}}='],
])('%j', (text, expected) => {
  expect(last(text.replaceAll('\n,', '\n'))).toBe(expected)
})

test('a caption and a title have macros', () => {
  const { text } = expand('#+title: {{{n}}}\n#+caption: {{{n}}}\n| {{{n}}} |\n')
  expect(text).toBe('#+title: 1\n#+caption: 2\n| 3 |\n')
})

test.each([
  [
    '#+macro: e (eval (delete-file "x"))\n{{{e}}}',
    '2: the macro e is a program, which is not run, and has no argument to show',
  ],
  ['{{{gone(x)}}} {{{gone(x)}}}', '1: there is no macro gone'],
  ['#+macro: a {{{b}}}\n#+macro: b {{{a}}}\n{{{a}}}', '3: the macro a stands for itself'],
])('%j', (text, finding) => {
  expect(expand(text).findings).toEqual([finding])
})

test('a text that doubles is stopped', () => {
  const lines = Array.from(
    { length: 40 },
    (_, n) => `#+macro: m${n} {{{m${n + 1}}}}{{{m${n + 1}}}}x`,
  )
  const { text, findings } = expand(`${lines.join('\n')}\n{{{m0}}}`)
  expect(text.length).toBeLessThan(5_000_000)
  expect(findings.length).toBeGreaterThan(0)
})

test('lines are remembered over an argument of several', () => {
  const { text, places } = expand('a\n{{{results(b\nc)}}} d\ne')
  expect(text).toBe('a\nb c d\ne')
  expect(places).toEqual([1, 2, 4])
})

test('a form that is not known stays', () => {
  expect(formatTime('%Q %% %a', now)).toBe('%Q % Sat')
})

test('what is taken in may define macros', () => {
  const findings: Finding[] = []
  const texts = new Map([['/b/m.org', '#+macro: m M\n{{{x}}}\n']])
  const source = prepared('a\n#+include: "m.org"\n{{{m}}}', '/b/a.org', {
    root: '/b',
    texts,
    now,
    findings,
  })
  expect(source.text).toBe('a\n#+macro: m M\n{{{x}}}\nM')
  expect([2, 3, 4].map((line) => source.place(line).line)).toEqual([1, 2, 3])
  expect(source.includes).toEqual(['/b/m.org'])
  expect(findings).toEqual([{ file: '/b/m.org', line: 2, message: 'there is no macro x' }])
})
