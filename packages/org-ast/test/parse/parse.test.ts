import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from '../../src/parse/parse.ts'
import type { AnyOrgNode } from '../../src/tree/nodes.ts'
import { sketch } from './sketch.ts'

test('headlines nest by their stars', () => {
  expect(sketch(parse('a\n* b\n*** c\n** d\n* e\n'))).toBe(
    '(section (paragraph "a\\n")) (headline "b" (headline "c") (headline "d")) (headline "e")',
  )
})

test('an outline is the tree without what is in the sections', () => {
  const text =
    '#+title: T\n* A\nSCHEDULED: <2026-11-21>\n:PROPERTIES:\n:a: b\n:END:\n*x*\n** B\ny\n'
  const tree = parse(text, { granularity: 'headline' })
  expect(sketch(tree)).toBe(
    '(section (keyword)) (headline "A" (section (planning) (property-drawer (node-property))) (headline "B" (section)))',
  )
  const places = (given: AnyOrgNode): unknown =>
    given.type === 'section' || !('children' in given)
      ? [given.type, given.position]
      : [given.type, given.position, (given.children as AnyOrgNode[]).map(places)]
  expect(places(tree)).toEqual(places(parse(text)))
})

const pieces = [
  '* ',
  '** TODO ',
  ' :tag:',
  '\n',
  '\n\n',
  '\r\n',
  '- ',
  '  - ',
  '1. ',
  ' :: ',
  '| a | b |',
  '|--|',
  '#+begin_src ',
  '#+end_src',
  '#+begin_quote',
  '#+end_quote',
  '#+name: x',
  ':drawer:',
  ':end:',
  ':properties:',
  ':id: 1',
  '[fn:1] ',
  '# c',
  ': f',
  '-----',
  '\\begin{a}',
  '\\end{a}',
  'CLOCK: ',
  '[2026-11-21 Sat]',
  'SCHEDULED: <2026-11-21 Sat>',
  '*b*',
  '/i/',
  '=v=',
  '[[l][d]]',
  '{{{m}}}',
  '\\alpha',
  'x',
  ' ',
  '\t',
  '\0',
  '\uFEFF',
  '\uD800',
  '\u{1F600}',
  '%%(a)',
  '+--+',
]
const anyOrg = fc
  .array(fc.constantFrom(...pieces), { maxLength: 40 })
  .map((parts) => parts.join(''))

function expectTouching(node: AnyOrgNode, text: string): void {
  if (!('children' in node)) return
  let at = node.contentsBegin ?? node.position.start.offset
  for (const child of node.children as AnyOrgNode[]) {
    const { start, end } = child.position
    expect(start.offset).toBeGreaterThanOrEqual(at)
    expect(text.slice(at, start.offset).trim()).toBe('')
    expect(end.offset).toBeGreaterThanOrEqual(start.offset)
    at = end.offset
    expectTouching(child, text)
  }
  expect(node.position.end.offset).toBeGreaterThanOrEqual(at)
}

test('every text parses, and siblings touch', () => {
  fc.assert(
    fc.property(anyOrg, (text) => {
      const tree = parse(text)
      expectTouching(tree, text)
      expect(tree.position.end.offset).toBe(text.length)
    }),
    { numRuns: 2000 },
  )
})

test('deep and unclosed input is only input', () => {
  const deep = Array.from({ length: 3000 }, (_, level) => `${'*'.repeat(level + 1)} x\n`).join('')
  expect(parse(deep).children).toHaveLength(1)
  const unclosed = '#+begin_quote\n:d:\n\\begin{x}\n'.repeat(20_000)
  expect(parse(unclosed).children).toHaveLength(1)
  const nested = '#+begin_a\n'.repeat(5000) + '#+end_a\n'.repeat(5000)
  expect(parse(nested).children).toHaveLength(1)
})
