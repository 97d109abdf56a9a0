import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatches, composePatches, entryDraft, type Patch } from '../../src/edit/edit.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

test('what no patch mentions stays', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), fc.string(), (a, b, c, put) => {
      const patch = { begin: a.length, end: a.length + b.length, text: put }
      expect(applyPatches(a + b + c, [patch])).toBe(a + put + c)
    }),
  )
  expect(() =>
    applyPatches('abcd', [
      { begin: 0, end: 2, text: '' },
      { begin: 1, end: 3, text: '' },
    ]),
  ).toThrow(RangeError)
})

function cut(text: string, places: readonly number[], put: readonly string[]): Patch[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b)
  return put.flatMap((words, index) => {
    const [begin, end] = at.slice(2 * index, 2 * index + 2)
    if (begin === undefined) return []
    return [{ begin, end: end === undefined ? begin : end, text: words }]
  })
}

test('composed patches do what both lists do', () => {
  const places = fc.array(fc.nat(60), { maxLength: 8 })
  const words = fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 })
  fc.assert(
    fc.property(fc.string({ maxLength: 30 }), places, words, places, words, (text, a, b, c, d) => {
      const first = cut(text, a, b)
      const between = applyPatches(text, first)
      const second = cut(between, c, d)
      const both = composePatches(first, second)
      expect(applyPatches(text, both)).toBe(applyPatches(between, second))
    }),
    { numRuns: 1000 },
  )
})

test('a draft knows the line ends of its file', () => {
  const text = '\ufeff#+title: x\r\n* a\r\nb\r\n* c\r\n'
  const draft = entryDraft(text, [...headlines(parse(text))][0]!)
  expect(draft.text).toBe('* a\nb\n')
  draft.replace(4, 5, 'one\ntwo\nb')
  draft.replace(8, 11, 'TWO')
  draft.replace(2, 3, 'A')
  draft.replace(2, 3, 'a')
  const patches = draft.patches()
  expect(patches).toEqual([{ begin: 18, end: 18, text: 'one\r\nTWO\r\n' }])
  expect(applyPatches(text, patches)).toBe('\ufeff#+title: x\r\n* a\r\none\r\nTWO\r\nb\r\n* c\r\n')
  expect(draft.last).toBe(false)
})

test('a patch does not split a character', () => {
  const draft = entryDraft('😀😁', parse('😀😁'))
  draft.replace(0, 4, '😀😂')
  expect(draft.patches()).toEqual([{ begin: 2, end: 4, text: '😂' }])
})
