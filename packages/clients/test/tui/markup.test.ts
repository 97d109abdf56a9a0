import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeLine, diffLine, markup } from '../../src/tui/markup.ts'
import { columnsOf, type Line, plainText } from '../../src/tui/text.ts'

function pictures(line: Line): string {
  return line.map(({ text, tone }) => (tone === 'plain' ? text : `${tone}‹${text}›`)).join('')
}

const shown = (text: string, width = 60) => markup(text, width).map(pictures)

test.each([
  ['*bold* and /slanted/ =code=', ['strong‹bold› and emphasis‹slanted› code‹code›']],
  ['a **b** `c` +d+', ['a strong‹b› code‹c› strike‹d›']],
  ['2*3*4 and/or snake_case_name', ['2*3*4 and/or snake_case_name']],
  ['see [[id:x][the beans]] in garden.org:12', ['see link‹the beans› in link‹garden.org:12›']],
  ['due <2026-11-27 Fri>', ['due number‹<2026-11-27 Fri>›']],
  ['** TODO [#A] Sow :spring:', ['  warn‹TODO ›accent‹[#A] ›heading‹Sow›muted‹  :spring:›']],
  ['- [X] one', ['accent‹•› good‹[X] ›one']],
  [
    '#+begin_src ts\nlet a = 1\n#+end_src\nafter',
    ['muted‹▏ ›muted‹ts›', 'muted‹▏ ›keyword‹let› a = number‹1›', 'after'],
  ],
  ['```\nx', ['muted‹▏ ›code‹x›']],
  [':ID: 12', ['muted‹:ID: 12›']],
])('%j', (text, lines) => {
  expect(shown(text)).toEqual(lines)
})

test.each([
  ['if (a) return "b" // why', 'ts', 'keyword‹if› (a) keyword‹return› string‹"b"› comment‹// why›'],
  ["echo 'x' # no", 'sh', "echo string‹'x'› comment‹# no›"],
  ['(setq a 1) ; one', 'elisp', '(keyword‹setq› a number‹1›) comment‹; one›'],
])('%s', (line, language, expected) => {
  expect(pictures(codeLine(line, language))).toBe(expected)
})

test('whatever is said, it fits and is all there', () => {
  const part = fc.constantFrom(
    '* ',
    '- ',
    '```',
    '\n',
    '#+begin_src diff',
    '|',
    '[[a][b',
    '豆',
    '"',
    '=x=',
    ' ',
    'word',
  )
  fc.assert(
    fc.property(fc.array(part), fc.integer({ min: 8, max: 50 }), (parts, width) => {
      const text = parts.join('')
      for (const row of markup(text, width)) {
        expect(columnsOf(plainText(row))).toBeLessThanOrEqual(width)
      }
      expect(plainText(codeLine(text, 'ts'))).toBe(text)
      expect(plainText(diffLine(text))).toBe(text)
    }),
  )
})

test('a line of data is left alone', () => {
  const long = '*a '.repeat(20_000)
  expect(markup(long, 80).every((row) => row.every(({ tone }) => tone === 'plain'))).toBe(true)
  expect(codeLine(long, 'ts')).toHaveLength(1)
})
