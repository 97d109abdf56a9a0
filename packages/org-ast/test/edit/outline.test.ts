import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatches, type Patch } from '../../src/edit/edit.ts'
import {
  cutSubtree,
  demoteHeadline,
  demoteSubtree,
  insertHeadline,
  moveSubtree,
  pasteSubtree,
  promoteHeadline,
  promoteSubtree,
} from '../../src/edit/outline.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline, OrgData } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

type Edit = (text: string, tree: OrgData, headline: Headline) => Patch[]
function edited(text: string, title: string, edit: Edit): string {
  const tree = parse(text)
  const headline = [...headlines(tree)].find(({ rawValue }) => rawValue === title)
  return applyPatches(text, edit(text, tree, headline!))
}

const outline = '* a\n** b :x:\n*** c\n** d\n'
test.each([
  ['b', promoteHeadline, `* a\n* b${' '.repeat(71)}:x:\n*** c\n** d\n`],
  ['b', demoteHeadline, `* a\n*** b${' '.repeat(69)}:x:\n*** c\n** d\n`],
  ['b', promoteSubtree, `* a\n* b${' '.repeat(71)}:x:\n** c\n** d\n`],
  ['b', demoteSubtree, `* a\n*** b${' '.repeat(69)}:x:\n**** c\n** d\n`],
])('%s: %o', (title, edit, expected) => {
  expect(edited(outline, title, edit)).toBe(expected)
})

test('odd levels, and the top', () => {
  const odd = '#+startup: odd\n* a\n*** b\n** c\n'
  expect(edited(odd, 'b', promoteHeadline)).toBe('#+startup: odd\n* a\n* b\n** c\n')
  expect(edited(odd, 'a', demoteHeadline)).toBe('#+startup: odd\n*** a\n*** b\n** c\n')
  expect(edited(odd, 'c', demoteHeadline)).toBe('#+startup: odd\n* a\n*** b\n*** c\n')
  expect(() => edited(outline, 'a', promoteSubtree)).toThrow(RangeError)
})

test.each([
  ['* a\n\n* b\nx', 'a', 'down', '* b\nx\n* a\n\n'],
  ['* a\n\n* b\nx', 'b', 'up', '* b\nx\n* a\n\n'],
  ['* a\r\n* b', 'b', 'up', '* b\r\n* a\r\n'],
] as const)('%j: %s goes %s', (text, title, direction, expected) => {
  expect(edited(text, title, (...at) => moveSubtree(...at, direction))).toBe(expected)
})

test('not out of the parent', () => {
  const text = '* p\n*** a\n** b\n* q\n'
  for (const title of ['a', 'b', 'q']) {
    expect(() => edited(text, title, (...at) => moveSubtree(...at, 'down'))).toThrow(RangeError)
  }
  expect(() => edited(text, 'b', (...at) => moveSubtree(...at, 'up'))).toThrow(RangeError)
})

test('a headline before, after and below', () => {
  const insert = (text: string, where: 'before' | 'after' | 'under') =>
    edited(text, 'b', (source, tree, headline) =>
      insertHeadline(source, tree, { [where]: headline } as { after: Headline }, { title: 'n' }),
    )
  expect(insert('* a\n** b\nx\n\n* c\n', 'before')).toBe('* a\n** n\n** b\nx\n\n* c\n')
  expect(insert('* a\n** b\nx\n\n* c\n', 'after')).toBe('* a\n** b\nx\n** n\n* c\n')
  expect(insert('* a\n\n** b\nx\n* c', 'after')).toBe('* a\n\n** b\nx\n\n** n\n\n* c')
  expect(insert('* a\n** b', 'under')).toBe('* a\n** b\n*** n\n')
})

test('a headline has one line, a known keyword and proper tags', () => {
  const add = (request: Parameters<typeof insertHeadline>[3]) => {
    const tree = parse('x')
    return applyPatches('x', insertHeadline('x', tree, { under: null }, request))
  }
  const full = { title: 'a\n* b', todo: 'TODO', priority: 'A', tags: ['t'] }
  expect(add(full)).toBe(`x\n* TODO [#A] a * b${' '.repeat(57)}:t:\n`)
  expect(() => add({ title: 'a', todo: 'LATER' })).toThrow('LATER')
  expect(() => add({ title: 'a', tags: ['a-b'] })).toThrow('a-b')
  expect(() => add({ title: 'a', priority: 'AA' })).toThrow('AA')
})

test('pasted at another level', () => {
  const paste: Edit = (text, tree, headline) =>
    pasteSubtree(text, tree, { under: headline }, '* n :t:\n** m')
  expect(edited('* a\n** b\n* c\n', 'b', paste)).toBe(
    `* a\n** b\n*** n${' '.repeat(69)}:t:\n**** m\n* c\n`,
  )
  expect(() =>
    edited('* a\n', 'a', (...at) => pasteSubtree(at[0], at[1], { after: at[2] }, '** x\n* y')),
  ).toThrow('not a (set of) tree(s)')
})

test('cut and pasted back', () => {
  const line = fc.constantFrom('* a', '** b :x:', '*** c', '', 'text', '\t')
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.nat(), (lines, pick) => {
      const text = `${lines.join('\n')}\n`
      const tree = parse(text)
      const all = [...headlines(tree)]
      fc.pre(all.length > 0)
      const { position, level } = all[pick % all.length]!
      const cut = text.slice(position.start.offset, position.end.offset)
      const rest = applyPatches(text, cutSubtree(text, all[pick % all.length]!))
      const next = [...headlines(parse(rest))].find(
        (node) => node.position.start.offset === position.start.offset,
      )
      const place = next === undefined ? { under: null } : { before: next }
      const patches = pasteSubtree(rest, parse(rest), place, cut, level)
      expect(applyPatches(rest, patches)).toBe(text)
    }),
  )
})
