import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineIndex } from '../../src/text/lines.ts'

const anyText = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\n', '\r', '*', '\u{1F600}') })

test('lines tile the text, and points lead back to their offsets', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const lines = new LineIndex(text)
      let whole = ''
      for (let line = 0; line < lines.count; line++) {
        whole += text.slice(lines.starts[line], lines.starts[line + 1])
      }
      expect(whole).toBe(text)
      for (let offset = 0; offset <= text.length; offset++) {
        const { line, column } = lines.point(offset)
        const start = line > lines.count ? text.length : lines.starts[line - 1]!
        expect(start + column - 1).toBe(offset)
      }
    }),
  )
})

test('a carriage return belongs to the line end, not to the line', () => {
  const lines = new LineIndex('ab\r\n  \r\n\0')
  expect([...lines.ends]).toEqual([2, 6, 9])
  expect([0, 1, 2].map((line) => lines.isBlank(line))).toEqual([false, true, false])
  const marked = new LineIndex('\ufeff* a')
  expect([marked.starts[0], marked.point(1).column]).toEqual([1, 1])
})
