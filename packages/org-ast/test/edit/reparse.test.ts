import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatches, type Patch } from '../../src/edit/edit.ts'
import { reparse } from '../../src/edit/reparse.ts'
import { type ParseOptions, parse } from '../../src/parse/parse.ts'
import type { Headline, OrgData, Section } from '../../src/tree/nodes.ts'

const pieces = [
  ...['* ', '** ', '*** ', '\n* a\n', '\n** TODO b :t:\n', '\n***** c\n', '*', ' '],
  ...['\n', '\n\n', '\r\n', 'x', 'word\n', '- item\n', '\ufeff', '| a |\n', ':END:\n'],
  ...[':PROPERTIES:\n:ID: 1\n:END:\n', 'SCHEDULED: <2026-11-21 Sat>\n', '# comment\n'],
  ...['#+todo: NEXT | SHUT\n', '\n* NEXT d\n', '#+filetags: :f:\n', '#+begin_example\n'],
  ...['#+end_example\n', '#+link: k http://k/\n', '[[k:1]]\n', '<<<word>>>', '*** *END\n'],
]
const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((all) => all.join(''))
const anyEdits = fc.array(
  fc.record({
    begin: fc.nat({ max: 200 }),
    length: fc.oneof(fc.constant(0), fc.nat({ max: 4 }), fc.nat({ max: 60 })),
    text: fc.array(fc.constantFrom(...pieces), { maxLength: 4 }).map((all) => all.join('')),
  }),
  { minLength: 1, maxLength: 4 },
)

function patchesIn(
  text: string,
  edits: readonly { begin: number; length: number; text: string }[],
) {
  const patches: Patch[] = []
  let at = 0
  for (const edit of edits.toSorted((one, other) => one.begin - other.begin)) {
    const begin = Math.max(at, Math.min(edit.begin, text.length))
    const end = Math.min(begin + edit.length, text.length)
    patches.push({ begin, end, text: edit.text })
    at = end
  }
  return patches
}

const seen = (tree: OrgData) => JSON.parse(JSON.stringify(tree))

function afterEdits(
  text: string,
  rounds: Parameters<typeof patchesIn>[1][],
  options: ParseOptions,
) {
  let now = text
  let tree = parse(text, options)
  for (const edits of rounds) {
    const patches = patchesIn(now, edits)
    now = applyPatches(now, patches)
    tree = reparse(tree, patches)
  }
  return { text: now, tree }
}

test.each([{}, { inlinetaskLevel: 3 }])('the tree is that of a whole parse, with %o', (options) => {
  fc.assert(
    fc.property(anyText, fc.array(anyEdits, { minLength: 1, maxLength: 5 }), (text, rounds) => {
      const after = afterEdits(text, rounds, options)
      const whole = parse(after.text, options)
      expect(seen(after.tree)).toEqual(seen(whole))
      expect(after.tree.source).toBe(after.text)
      expect(after.tree.hash).toBe(whole.hash)
    }),
    { numRuns: 1000 },
  )
})

interface Owned {
  section: Section
  owner: Headline
}

function sectionsIn(node: OrgData | Headline): Owned[] {
  return node.children.flatMap((child) => {
    if (child.type === 'headline') return sectionsIn(child)
    return node.type === 'headline' ? [{ section: child, owner: node }] : []
  })
}

const named = ({ section }: Owned, by = 0) => `${section.startOffset + by} ${section.source}`

test('what an edit does not touch is the same object', () => {
  const plain = pieces.filter((piece) => !/#\+(todo|link|file)|<<</.test(piece))
  const anyPlain = fc.array(fc.constantFrom(...plain), { maxLength: 30 }).map((all) => all.join(''))
  const anyDrop = fc.nat({ max: 9 })
  let count = 0
  fc.assert(
    fc.property(anyPlain, fc.nat({ max: 200 }), anyDrop, anyPlain, (text, at, drop, put) => {
      const [patch] = patchesIn(text, [{ begin: at, length: drop, text: put }]) as [Patch]
      const { begin, end } = patch
      const by = put.length - (end - begin)
      const tree = parse(text)
      const expected = new Map<Section, string>()
      for (const one of sectionsIn(tree)) {
        if (one.section.endOffset < begin) expected.set(one.section, named(one))
        if (one.owner.startOffset > end) expected.set(one.section, named(one, by))
      }
      const whole = sectionsIn(parse(applyPatches(text, [patch]))).map((one) => named(one))
      const after = new Set(sectionsIn(reparse(tree, [patch])).map(({ section }) => section))
      for (const [section, name] of expected) {
        if (!whole.includes(name)) continue
        expect(after).toContain(section)
        count++
      }
    }),
    { numRuns: 2000 },
  )
  expect(count).toBeGreaterThan(500)
})

const garden = 'Plans.\n* TODO Sow\nBeans.\n** Water\nDaily.\n* TODO Dig\nHoles.\n'

function edited(find: string, put: string, text = garden): { before: OrgData; after: OrgData } {
  const before = parse(text)
  const begin = text.indexOf(find)
  const after = reparse(before, [{ begin, end: begin + find.length, text: put }])
  return { before, after }
}

test('a new keyword leaves the text below and the headlines beside', () => {
  const { before, after } = edited('TODO Dig', 'DONE Dig')
  const [plans, sow, dig] = after.children as [Section, Headline, Headline]
  expect(plans).toBe(before.children[0])
  expect(sow).toBe(before.children[1])
  expect(dig).not.toBe(before.children[2])
  expect(dig).toMatchObject({ todoKeyword: 'DONE' })
  expect(dig.children[0]).toBe((before.children[2] as Headline).children[0])
})

test('a new headline takes over those below it', () => {
  const { before, after } = edited('** Water', '*** Can\n** Water')
  const [, sow, dig] = before.children as [Section, Headline, Headline]
  const changed = after.children[1] as Headline
  expect(changed.children[0]).toBe(sow.children[0])
  expect(changed.children[2]).toBe(sow.children[1])
  expect(after.children[2]).toBe(dig)
  const wrapped = edited('** Water', '* Later\n** Water').after
  expect((wrapped.children[2] as Headline).rawValue).toBe('Later')
})

test('a line at the end of a section leaves the next headline', () => {
  const { before, after } = edited('* TODO Dig', 'Peas.\n* TODO Dig')
  expect(after.children[2]).toBe(before.children[2])
  expect(after.children[2]!.position.start).toEqual({ line: 7, column: 1, offset: 47 })
})

test('declarations that reach into sections make them new', () => {
  const text = `#+todo: A | B\n#+filetags: :x:\n${garden}`
  const tags = edited(':x:', ':y:', text)
  expect(tags.after.filetags).toEqual(['y'])
  expect(tags.after.children[1]).toBe(tags.before.children[1])
  const keywords = edited('A | B', 'TODO | B', text)
  expect(keywords.after.children[1]).toMatchObject({ todoKeyword: 'TODO' })
})

test('very many edits, and very many headlines in one', () => {
  const edits = Array.from({ length: 1000 }, (_, at) => ({
    begin: at * 8 + 4,
    end: at * 8 + 5,
    text: 'c\nd',
  }))
  const text = '* a\nb\n\n\n'.repeat(1000)
  const tree = reparse(parse(text), edits)
  expect(seen(tree)).toEqual(seen(parse(applyPatches(text, edits))))
  const many = '* a\n'.repeat(250_000)
  expect(reparse(parse('* b\n'), [{ begin: 0, end: 0, text: many }]).children).toHaveLength(250_001)
})

test('wrong edits are refused', () => {
  const tree = parse('abc')
  expect(() => reparse(tree, [{ begin: 2, end: 4, text: '' }])).toThrow(RangeError)
  const overlapping = [
    { begin: 0, end: 2, text: '' },
    { begin: 1, end: 3, text: '' },
  ]
  expect(() => reparse(tree, overlapping)).toThrow(RangeError)
  expect(reparse(tree, [])).toBe(tree)
})

test('another engine parses again', () => {
  const engine = (text: string) => parse(text.toUpperCase())
  const tree = reparse(parse('* a\n', { engine }), [{ begin: 2, end: 3, text: 'b' }])
  expect(tree.children[0]).toMatchObject({ rawValue: 'B' })
})
