import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import { sketch } from '../parse/sketch.ts'

test('nesting follows indentation', () => {
  expect(sketch(parse('- a\n  - b\n  more\n- c\nend\n'))).toBe(
    '(section (plain-list (item (paragraph "a\\n") (plain-list (item (paragraph "b\\n")))' +
      ' (paragraph "  more\\n")) (item (paragraph "c\\n"))) (paragraph "end\\n"))',
  )
})

test('two blank lines end every list', () => {
  expect(sketch(parse('- a\n  - b\n\n\n  - c\n'))).toBe(
    '(section (plain-list (item (paragraph "a\\n") (plain-list (item (paragraph "b\\n")))))' +
      ' (plain-list (item (paragraph "c\\n"))))',
  )
})

test('an item has a counter, a checkbox, and a term', () => {
  const list = parse('1. [@3] [X] a\n').children[0]!.children[0]
  expect(list).toMatchObject({
    listType: 'ordered',
    children: [{ bullet: '1. ', counter: 3, checkbox: 'on', tag: null }],
  })
  const terms = parse('- a term :: its meaning\n').children[0]!.children[0]
  expect(terms).toMatchObject({
    listType: 'descriptive',
    children: [{ tag: [{ type: 'plain-text', value: 'a term' }] }],
  })
})

test.each(['- - x\n', '- | x\n', '1. # x\n'])('%j is an item with a paragraph', (text) => {
  expect(sketch(parse(text))).toMatch(/^\(section \(plain-list \(item \(paragraph "[^"]*"\)\)\)\)$/)
})
