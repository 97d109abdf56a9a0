import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineIndex } from '../../src/text/lines.ts'
import {
  dedent,
  lineNumbers,
  MapBuilder,
  type Mapped,
  originAt,
  replaceIn,
  trimMapped,
  unescapeMapped,
} from '../../src/text/mapped.ts'

function copied(text: string): Mapped {
  const builder = new MapBuilder()
  builder.copy(text, 0, text.length)
  return builder.finish()
}

function origins(mapped: Mapped): string {
  return [...mapped.text]
    .map((_, at) => originAt(mapped, at))
    .map(({ source, copied: same }) => (same ? `${source}` : `-${source}`))
    .join(' ')
}

test('a text knows where it came from', () => {
  const builder = new MapBuilder()
  builder.make('#!', 9)
  builder.copy('ab\r\nc', 0, 5, true)
  expect(builder.finish().text).toBe('#!ab\nc')
  expect(origins(builder.finish())).toBe('-9 -9 0 1 3 4')
  expect(originAt(builder.finish(), 6)).toEqual({ source: 5, copied: true })
})

test('halves make a whole', () => {
  const parts = fc.array(fc.tuple(fc.nat(9), fc.nat(3), fc.boolean()))
  fc.assert(
    fc.property(parts, fc.nat(30), (pieces, at) => {
      const builder = new MapBuilder()
      for (const [begin, length, same] of pieces) {
        if (same) builder.copy('0123456789abc', begin, begin + length)
        else builder.make('x'.repeat(length), begin)
      }
      const whole = builder.finish()
      const again = new MapBuilder()
      const cut = Math.min(at, whole.text.length)
      again.add(whole, 0, cut)
      again.add(whole, cut)
      expect(again.finish()).toEqual(whole)
    }),
  )
})

test.each([
  [',,* a\n,b', unescapeMapped, ',* a\n,b', '0 2 3 4 5 6 7'],
  ['\n  a \n\n', trimMapped, 'a', '3'],
  ['\n  a \n\n', (text: Mapped) => trimMapped(text, true), '  a', '1 2 3'],
  [' \n ', trimMapped, '', ''],
])('%j', (text, change, expected, from) => {
  const changed = change(copied(text))
  expect(changed.text).toBe(expected)
  expect(origins(changed)).toBe(from)
})

test('what is put in has the place that it was given', () => {
  const changed = replaceIn(copied('a<b>c'), 'a<b>c'.matchAll(/<.>/g), (match, into) =>
    into.make('!!', match.index),
  )
  expect(changed.text).toBe('a!!c')
  expect(origins(changed)).toBe('0 -1 -1 4')
})

test.each([
  ['  a\n    b\n\n  c', 'a\n  b\n\nc'],
  ['a\n  b', 'a\n  b'],
  ['\ta\n        b', 'a\nb'],
  ['    a\n\tb\n  \t  ', 'a\n\tb\n\t  '],
  ['    a\n \f\n', '    a\n \f\n'],
  ['  \n ', '\n'],
])('dedent %j', (code, expected) => {
  expect(dedent(copied(code)).text).toBe(expected)
})

test('a line counts as its first visible character', () => {
  const document = 'a\n  <<b>>\nc\n\nd\n'
  const builder = new MapBuilder()
  builder.copy(document, 0, 4)
  builder.copy(document, 10, 13)
  expect(lineNumbers(builder.finish(), new LineIndex(document))).toEqual([1, 3, 4])
})
