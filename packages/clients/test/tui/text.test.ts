import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cleanText,
  columnsOf,
  cutTo,
  type Line,
  plainText,
  revealed,
  wrapLine,
} from '../../src/tui/text.ts'

const besideInk = createRequire(import.meta.resolve('ink'))
const widthModule = pathToFileURL(besideInk.resolve('string-width')).href
const { default: inkWidth }: { default: (text: string) => number } = await import(widthModule)

test('no text can drive the terminal', () => {
  expect(cleanText('\x1b]0;x\x07\r\na\tb\u202ec\u200b\x9b👨‍👩‍👧')).toBe(
    '␛]0;x␇\na    b\ufffdc\ufffd\ufffd👨👩👧',
  )
  expect(cleanText(`a${'\u0301'.repeat(90)}`)).toBe(`a${'\u0301'.repeat(4)}`)
  expect(revealed('rm\u202e x\x1b[2J')).toBe('rm\\u202e x\\u001b[2J')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const clean of [cleanText(text), revealed(text)]) {
        expect(clean).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        expect(cleanText(clean)).toBe(clean)
      }
    }),
  )
})

test.each([
  'plain',
  'déjà',
  'e\u0301',
  '豆を蒔く',
  '한국어',
  'ｆｕｌｌ',
  '🌱 ☀ ❤ © ™',
  '✅ ⚠ …—“”',
  '│╭─╮',
  'Привет',
  '👩‍💻 👍🏽 🇩🇪',
])('%s is as wide as the screen believes', (text) => {
  expect(columnsOf(cleanText(text))).toBe(inkWidth(cleanText(text)))
})

test('what is cut fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, columns) => {
      const clean = cleanText(text)
      const cut = cutTo(clean, columns)
      expect(columnsOf(cut)).toBeLessThanOrEqual(columns)
      expect(clean.startsWith(cut)).toBe(true)
    }),
  )
})

const word = fc.constantFrom(
  'a',
  'bean',
  '豆を蒔く',
  ' ',
  '  ',
  'https://example.org/long/way',
  '🌱',
)
const line = fc.array(
  fc.record({ text: word, tone: fc.constantFrom('plain' as const, 'code' as const) }),
)

test('wrapping keeps every letter and the width', () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 2, max: 40 }), fc.nat(6), (spans, width, hanging) => {
      const rows = wrapLine(spans, width, hanging)
      for (const row of rows) expect(columnsOf(plainText(row))).toBeLessThanOrEqual(width)
      const letters = (lines: Line[]) => lines.map(plainText).join('').replaceAll(' ', '')
      expect(letters(rows)).toBe(letters([spans]))
    }),
  )
})

test('rows break at blanks and hang', () => {
  const rows = wrapLine([{ text: '- one two three', tone: 'plain' }], 9, 2)
  expect(rows.map(plainText)).toEqual(['- one two', '  three'])
  expect(wrapLine([], 9).map(plainText)).toEqual([''])
})
