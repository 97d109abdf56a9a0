import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatches, type Patch } from '../../src/edit/edit.ts'
import { addHeadline } from '../../src/edit/headline.ts'
import { parse } from '../../src/parse/parse.ts'
import type { Headline, OrgData } from '../../src/tree/nodes.ts'
import { headlines } from '../../src/tree/query.ts'

type Edit = (text: string, tree: OrgData, headline: Headline) => Patch[]
function edited(text: string, edit: Edit): string {
  const tree = parse(text)
  return applyPatches(text, edit(text, tree, [...headlines(tree)][0]!))
}

test('a new headline is the last child', () => {
  const text = '* Work\n** Old\n\n* Home\n'
  const add: Edit = (source, tree, parent) =>
    addHeadline(source, tree, parent, { title: 'New', todo: 'TODO', scheduled: '<2026-11-22 Sun>' })
  expect(edited(text, add)).toBe(
    '* Work\n** Old\n** TODO New\nSCHEDULED: <2026-11-22 Sun>\n\n* Home\n',
  )
})

test('one headline more, whatever was captured', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom('* a', '\n', '\r', '** TODO b', ':END:'))
  const words = fc.array(line).map((parts) => parts.join('\n'))
  const file = fc.constantFrom('', 'x', '* a\n', '* a\n\n\n', '* a\n** b\n\ntext', '#+title: x\n')
  fc.assert(
    fc.property(file, words, words, (text, title, body) => {
      fc.pre(title.trim() !== '')
      const patches = addHeadline(text, parse(text), null, { title, body })
      const after = applyPatches(text, patches)
      const count = (source: string) => [...headlines(parse(source))].length
      expect(count(after)).toBe(count(text) + 1)
      const { begin } = patches[0]!
      expect(after.startsWith(text.slice(0, begin))).toBe(true)
      expect(after.endsWith(text.slice(begin))).toBe(true)
    }),
  )
})
