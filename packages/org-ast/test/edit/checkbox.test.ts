import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CheckboxRequest, toggleCheckbox } from '../../src/edit/checkbox.ts'
import { applyPatches } from '../../src/edit/edit.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline, Item, OrgData } from '../../src/tree/nodes.ts'
import { walk } from '../../src/tree/query.ts'

function nodeAt(tree: OrgData, text: string, word: string): Item | Headline {
  let found: Item | Headline | undefined
  walk(tree, (node) => {
    if (node.type !== 'item' && node.type !== 'headline') return
    const [line] = text.slice(node.position.start.offset).split('\n')
    if (found === undefined && line!.includes(word)) found = node
  })
  return found!
}
function toggled(text: string, word: string, request: CheckboxRequest = {}): string {
  const tree = parse(text)
  return applyPatches(text, toggleCheckbox(text, tree, nodeAt(tree, text, word), request))
}

test('a ticked box ticks what is above it', () => {
  const text =
    '* Breakfast [1/2]\n- [-] tea [1/2]\n  - [X] water\n  - [ ] leaves\n- [X] bread [/]\n'
  expect(toggled(text, 'leaves')).toBe(
    '* Breakfast [2/2]\n- [X] tea [2/2]\n  - [X] water\n  - [X] leaves\n- [X] bread [0/0]\n',
  )
  const ordered = '* a\n:PROPERTIES:\n:ORDERED:  t\n:END:\n- [ ] b\n- [ ] c\n'
  expect(() => toggled(ordered, 'c')).toThrow('line 5')
  expect(toggled('* a [%]\n- [ ] b\n- [X] c\n- d\n', '* a')).toBe(
    '* a [100%]\n- [X] b\n- [X] c\n- d\n',
  )
  expect(() => toggled('* a\nb\n', '* a')).toThrow(RangeError)
})

test.each([
  ['#+attr_org: :radio t\n- [X] a\n- [ ] b\n', 'b', {}, '#+attr_org: :radio t\n- [ ] a\n- [X] b\n'],
  ['- a\n', 'a', { change: 'presence' }, '- [ ] a\n'],
  ['1. [@3] [X] a', 'a', { change: 'presence' }, '1. [@3] a'],
  ['1. [@3] a\r\n', 'a', { change: 'presence' }, '1. [@3][ ] a\r\n'],
  ['-\t[ ] a\n', 'a', {}, '- [X] a\n'],
  ['- [X] a\n', 'a', { change: 'partial' }, '- [-] a\n'],
] as const)('%j, toggled at %s with %j', (text, word, request, expected) => {
  expect(toggled(text, word, request)).toBe(expected)
})

test('text after a deeper list moves to it', () => {
  expect(toggled('- [ ] a\r\n    - [ ] b\r\n  This\r\n\r\n   that\r\n', 'b')).toBe(
    '- [X] a\r\n    - [X] b\r\n    This\r\n\r\n     that\r\n',
  )
})

test('no text makes a toggle fail, and no item is lost', () => {
  const piece = fc.constantFrom(
    ...[
      '* ',
      '- ',
      '  - ',
      '1. ',
      '[@3] ',
      '[ ] ',
      '[X]',
      '[-] ',
      '[/]',
      '[%]',
      ' :: ',
      '\n',
      '\n',
    ],
    ...['\n', '\r\n', '\t', ' ', 'a', '茶', ':b:', ':PROPERTIES:', ':ORDERED: t', ':END:', ':D:'],
    ...['#+begin_quote', '#+end_quote', '#+attr_org: :radio t', '|', '\u2028', '\ud800'],
  )
  const texts = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))
  const changes = fc.constantFrom('state' as const, 'presence' as const, 'partial' as const)
  fc.assert(
    fc.property(texts, changes, (text, change) => {
      const tree = parse(text)
      for (const item of items(tree)) {
        try {
          const after = applyPatches(text, toggleCheckbox(text, tree, item, { change }))
          expect(items(parse(after)).length).toBe(items(tree).length)
        } catch (error) {
          expect((error as Error).message).toContain('is blocked')
        }
      }
    }),
  )
})

function items(tree: OrgData): Item[] {
  const found: Item[] = []
  walk(tree, (node) => {
    if (node.type === 'item') found.push(node)
  })
  return found
}
