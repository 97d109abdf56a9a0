import { expect, test } from 'vitest'
import { category, effectiveLevel, inheritedProperty } from '../../src/parse/inherit.ts'
import { fileOptions } from '../../src/parse/options.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline, OrgData } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

function titled(tree: OrgData, title: string): Headline {
  return [...headlines(tree)].find(({ rawValue }) => rawValue === title)!
}

test('properties come from the entry, from above, from the drawer, and from keywords', () => {
  const text = `:PROPERTIES:
:A: top
:B+: drawer
:END:
#+property: A global
#+property: B global
#+category: garden
* one
:PROPERTIES:
:a+: 1
:b+: 2
:b+: 3
:END:
** two
:PROPERTIES:
:B+: 4
:B: own
:CATEGORY: beds
:END:
*** three
:PROPERTIES:
:A: nil
:END:
`
  const tree = parse(text)
  const of = (title: string, name: string) => inheritedProperty(tree, titled(tree, title), name)
  expect(inheritedProperty(tree, null, 'b')).toBe('global drawer')
  expect(of('one', 'A')).toBe('top 1')
  expect(of('one', 'B')).toBe('global drawer 2 3')
  expect(of('three', 'B')).toBe('own 4')
  expect(of('three', 'A')).toBeNull()
  expect(of('three', 'C')).toBeNull()
  expect(category(tree, titled(tree, 'one'))).toBe('garden')
  expect(category(tree, titled(tree, 'three'), 'file')).toBe('beds')
  expect(category(parse('* x\n'), null, 'file')).toBe('file')
})

test('odd levels count half', () => {
  const text = '* a\n** b\n*** c\n***** d\n'
  const levels = (tree: OrgData) =>
    [...headlines(tree)].map((headline) => effectiveLevel(headline, fileOptions(tree)))
  expect(levels(parse(text))).toEqual([1, 2, 3, 5])
  expect(levels(parse(`${text}#+startup: odd\n`))).toEqual([1, 2, 2, 3])
})
