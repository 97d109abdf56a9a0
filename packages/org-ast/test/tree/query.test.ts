import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { Headline } from '../../src/tree/nodes.ts'
import {
  ancestors,
  byId,
  headlines,
  inheritedTags,
  outlinePath,
  plainText,
  planning,
  property,
  walk,
} from '../../src/tree/query.ts'

const text = `#+filetags: :home:
* Garden :outside:
** TODO Sow /broad/ beans [1/2] :spring:
SCHEDULED: <2026-03-01 Sun>
:PROPERTIES:
:ID:       beans-1
:Soil+:    heavy
:END:
See [[https://example.org][the *guide*]].
** Prune
* Kitchen
`
const tree = parse(text)
function titled(title: string): Headline {
  return [...headlines(tree)].find((headline) => headline.rawValue.includes(title))!
}

test('a walk goes in text order, and not where it is told not to', () => {
  const seen: string[] = []
  walk(tree, (node) => {
    seen.push(node.type)
    return !(node.type === 'headline' && node.rawValue.startsWith('Sow'))
  })
  expect(seen.join(' ')).toBe(
    'org-data section keyword headline plain-text headline headline plain-text headline plain-text',
  )
})

test('headlines come in text order', () => {
  expect([...headlines(tree)].map((headline) => headline.level)).toEqual([1, 2, 2, 1])
})

test('the way to a headline goes through its ancestors', () => {
  expect(ancestors(tree, titled('Kitchen'))).toEqual([])
  expect(outlinePath(tree, titled('beans'))).toEqual(['Garden', 'Sow broad beans [1/2]'])
})

test('tags come from the file, from above, and from the line', () => {
  expect(inheritedTags(tree, titled('beans'))).toEqual(['home', 'outside', 'spring'])
  expect(inheritedTags(tree, titled('Kitchen'))).toEqual(['home'])
  const twice = parse('#+filetags: a b\n* x :a:\n')
  expect(inheritedTags(twice, twice.children[1] as Headline)).toEqual(['b', 'a'])
})

test('properties and planning are read from the section', () => {
  const beans = byId(tree, 'beans-1')!
  expect(beans.rawValue).toContain('beans')
  expect(property(beans, 'soil')).toBe('heavy')
  expect(property(beans, 'colour')).toBeNull()
  expect(planning(beans)?.scheduled?.rawValue).toBe('<2026-03-01 Sun>')
  expect(planning(titled('Prune'))).toBeNull()
  expect(byId(tree, 'nobody')).toBeNull()
})

test.each([
  ['a *b /c/ d* e', 'a b c d e'],
  ['[[https://x.org][the *guide*]] and [[id:1]]', 'the guide and id:1'],
  ['=x= \\alpha{} <2026-01-02 Fri>', 'x α <2026-01-02 Fri>'],
])('%s reads %s', (source, expected) => {
  const headline = parse(`* ${source}\n`).children[0] as Headline
  expect(plainText(headline.title)).toBe(expected)
})
