import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatches } from '../../src/edit/edit.ts'
import { refile, refileTo } from '../../src/edit/refile.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

function find(text: string, title: string | null): Headline {
  return [...headlines(parse(text))].find(({ rawValue }) => rawValue === title)!
}

test.each([
  ['* a\n** b\n* c\n*** d\nText.', 'd', 'a', '* a\n** b\n** d\nText.\n* c\n'],
  ['* a\n\n* b\n** c\n* d', 'b', 'd', '* a\n\n* d\n** b\n*** c\n'],
  ['* a\n\n* b\n** c\n', 'b', 'a', '* a\n\n** b\n*** c\n'],
  ['* a\n** b\n** c', 'c', 'a', '* a\n** b\n** c\n'],
  ['* a\r\n** b\r\n* c', 'b', null, '* a\r\n* c\r\n* b\r\n'],
])('%j: %s goes below %s', (text, title, below, expected) => {
  const target = below === null ? null : find(text, below)
  expect(applyPatches(text, refile(text, parse(text), find(text, title), target))).toBe(expected)
})

test('not into itself', () => {
  const text = '* a\n** b\n'
  expect(() => refile(text, parse(text), find(text, 'a'), find(text, 'b'))).toThrow(RangeError)
  expect(() => refile(text, parse(text), find(text, 'a'), find(text, 'a'))).toThrow(RangeError)
})

test('from one file to the other', () => {
  const text = '* a\n** b :t:\nText.\n* c\n'
  const other = '#+STARTUP: odd\r\n* x\r\n* y'
  const move = (title: string | null) => {
    const target = title === null ? null : find(other, title)
    const both = refileTo(text, find(text, 'b'), { text: other, tree: parse(other) }, target)
    expect(applyPatches(text, both.source)).toBe('* a\n* c\n')
    return applyPatches(other, both.target)
  }
  const tag = `${' '.repeat(69)}:t:`
  expect(move('x')).toBe(`#+STARTUP: odd\r\n* x\r\n*** b${tag}\r\nText.\r\n* y`)
  expect(move(null)).toBe(`#+STARTUP: odd\r\n* x\r\n* y\r\n* b  ${tag}\r\nText.\r\n`)
})

test('as many headlines as before, and the same text', () => {
  const line = fc.constantFrom(
    '* a',
    '** b :x:',
    '*** c\t:y:',
    '* ',
    '*',
    '',
    ' ',
    'text',
    '#+STARTUP: odd',
  )
  const file = fc.tuple(fc.array(line), fc.boolean()).map(([lines, ended]) => {
    return lines.join('\n') + (ended ? '\n' : '')
  })
  const count = (text: string) => [...headlines(parse(text))].length
  const body = (text: string) =>
    text
      .split('\n')
      .filter((row) => !/^\*+ |^$/.test(row))
      .sort()
  fc.assert(
    fc.property(file, fc.nat(), fc.nat(), (text, from, into) => {
      const tree = parse(text)
      const all = [...headlines(tree)]
      const moved = all[from % all.length]
      const target = into % 4 === 0 ? null : all[into % all.length]
      fc.pre(moved !== undefined && target !== undefined)
      const end = moved.position.end.offset
      const inside = (at: number) => at >= moved.position.start.offset && at < end
      fc.pre(target === null || !inside(target.position.start.offset))
      const after = applyPatches(text, refile(text, tree, moved, target))
      expect(count(after)).toBe(all.length)
      expect(body(after)).toEqual(body(text))
    }),
  )
})
