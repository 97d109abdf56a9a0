import { expect, test } from 'vitest'
import { applyPatches, type Patch } from '../../src/edit/edit.ts'
import { setTags, toggleTag } from '../../src/edit/tags.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

function edited(text: string, edit: (text: string, headline: Headline) => Patch[]): string {
  return applyPatches(text, edit(text, [...headlines(parse(text))][0]!))
}

test.each([
  ['* x :a:\n', ['a', 'b_2'], `* x${' '.repeat(67)}:a:b_2:\n`],
  ['* 水をやる\n', ['家'], `* 水をやる${' '.repeat(63)}:家:\n`],
  ['* x\t:a:\r\ny\r\n', ['a'], `* x${' '.repeat(71)}:a:\r\ny\r\n`],
  ['* x   :a:', [], '* x'],
  ['* :a:\n', [], '* \n'],
  [`* ${'long '.repeat(20)}\n`, ['a'], `* ${'long '.repeat(20)}:a:\n`],
])('%j with %j', (text, tags, expected) => {
  expect(edited(text, (source, at) => setTags(source, at, tags))).toBe(expected)
})

test('a hyphen is refused', () => {
  expect(() => edited('* x\n', (text, at) => setTags(text, at, ['to-do']))).toThrow('no tag')
})

test('one tag at a time', () => {
  const column = ' '.repeat(69)
  const on = edited('* x :a:\n', (text, at) => toggleTag(text, at, 'b'))
  expect(on).toBe(`* x${column}:a:b:\n`)
  expect(edited(on, (text, at) => toggleTag(text, at, 'b', 'on'))).toBe(on)
  expect(edited(on, (text, at) => toggleTag(text, at, 'a'))).toBe(`* x${column}  :b:\n`)
  expect(edited('* x\n', (text, at) => toggleTag(text, at, 'b', 'off'))).toBe('* x\n')
})
