import fc from 'fast-check'
import { type Headline, type Item, type OrgData, parse, walk } from 'org-ast'
import {
  applyPatches,
  type CheckboxRequest,
  type Patch,
  toggleCheckbox,
  updateAllCookies,
  updateCookies,
} from 'org-ast/edit'
import { expect, test } from 'vitest'
import { type ComparedCase, compareEdits, hasEmacs, orRefused } from './emacs.ts'

const word = fc.constantFrom('tea', 'bread', '茶', '👍', '=[1/2]=', '[[x][a [/] b]]', '*bold*', 'é')
const cookie = fc.constantFrom('[/]', '[%]', '[1/2]', '[100%]', '[9/10]')
const words = fc
  .array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: cookie }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(' '))
const often = <T>(arbitrary: fc.Arbitrary<T>, none: T, weight = 2) =>
  fc.oneof({ weight, arbitrary }, { weight: 1, arbitrary: fc.constant(none) })

interface Branch {
  first: string
  /** Lines, each with its line end. */
  body: string
  step: number
  below: Branch[]
  after: string
}

const first = fc
  .tuple(
    fc.constantFrom('-', '-', '+', '1.', '2)', '10.', '*'),
    fc.constantFrom(' ', ' ', ' ', '  ', '\t'),
    often(fc.constant(''), '[@3] ', 8),
    often(fc.constant(''), '[@start:c]', 20),
    often(fc.constantFrom('[ ] ', '[X] ', '[-] ', '[X]  '), ''),
    often(fc.constant(''), 'term [/] :: ', 8),
    often(words, '', 8),
  )
  .map((parts) => parts.join('').replace(/[ \t]+$/, ''))
const body = fc.constantFrom(
  'more\n',
  '\nmore\n',
  '#+begin_quote\n- [ ] quoted [/]\n#+end_quote\n',
  ':NOTES:\n- [X] noted\n:END:\ntext [/]\n',
  '#+begin_example\n- [ ] nothing\n#+end_example\n',
)
const after = fc.constantFrom('after\n', '\n after [/]\n', ':D:\ndrawn\n:END:\nafter\n   and\n')
const branch = (depth: number): fc.Arbitrary<Branch> =>
  fc.record({
    first,
    body: often(body, '', 1),
    step: fc.constantFrom(2, 2, 3, 4, 8),
    below: depth === 0 ? fc.constant([]) : fc.array(branch(depth - 1), { maxLength: 3 }),
    after: often(after, '', 1),
  })

function drawn({ first, body, step, below, after }: Branch, indent: number, tabs: boolean): string {
  const at = (column: number, lines: string) => {
    const blanks = ' '.repeat(column)
    const margin = tabs ? blanks.replaceAll(' '.repeat(8), '\t') : blanks
    return lines.replace(/^(?=.)/gm, margin)
  }
  const inner = below.map((child) => drawn(child, indent + step, tabs)).join('')
  const bullet = indent === 0 ? first.replace(/^\*/, '+') : first
  return at(indent, `${bullet}\n`) + at(indent + step, body) + inner + at(indent + 1, after)
}
const list = fc
  .tuple(
    fc.array(branch(2), { minLength: 1, maxLength: 4 }),
    fc.constantFrom(0, 0, 2),
    fc.boolean(),
  )
  .map(([branches, indent, tabs]) =>
    branches.map((each) => drawn(each, indent, tabs)).join(branches.length === 4 ? '\n\n' : ''),
  )

const tags = fc.constantFrom('', '', ' :a:', '\t:早:b:', `${' '.repeat(40)}:a:`, ' :a: ')
const title = fc
  .tuple(
    fc.constantFrom('', 'TODO ', 'COMMENT ', 'DONE [#A] ', 'done '),
    words,
    often(cookie, ''),
    tags,
  )
  .map(([before, text, count, after]) => `${before}${text} ${count}`.trimEnd() + after)
const drawer = fc.constantFrom(
  '',
  '',
  '',
  ':PROPERTIES:\n:ORDERED:  t\n:END:\n',
  ':PROPERTIES:\n:ORDERED:  nil\n:END:\n',
  ':PROPERTIES:\n:COOKIE_DATA: recursive\n:END:\n',
  ':PROPERTIES:\n:COOKIE_DATA: todo recursive\n:END:\n',
  ':PROPERTIES:\n:COOKIE_DATA: checkbox\n:COOKIE_DATA+: RECURSIVE\n:ORDERED: yes\n:END:\n',
)
const meta = fc.constantFrom('', '', 'SCHEDULED: <2026-11-21 Sat>\n')
const log = fc.constantFrom('', '', ':LOGBOOK:\n- Note [/]\n:END:\n', 'Intro [/]\n\n')
const radio = fc.constantFrom('', '', '', '', '', '#+attr_org: :radio t\n')
const entry = fc
  .tuple(title, meta, drawer, log, radio, list)
  .map(([head, ...rest]) => `* ${head}\n${rest.join('')}`)
const file = fc
  .tuple(
    fc.constantFrom('', '#+title: x\n\n', '* Before [3/4]\n- [ ] x\n'),
    fc.oneof({ weight: 4, arbitrary: entry }, { weight: 1, arbitrary: list }),
    fc.constantFrom('', '\n', '* After [5/6]\n', '** TODO Below [1/1]\n- [ ] y\n'),
    fc.constantFrom('', '', '', 'windows', 'cut'),
  )
  .map(([before, text, after, kind]) => {
    const whole = before + text + after
    if (kind === 'windows') return whole.replaceAll('\n', '\r\n')
    return kind === 'cut' ? whole.replace(/\n+$/, '') : whole
  })

type Target = Item | Headline
type Edit = (text: string, tree: OrgData, node: Target) => Patch[]

function targets(tree: OrgData, types: readonly string[]): Target[] {
  const found: Target[] = []
  walk(tree, (node) => {
    if (types.includes(node.type)) found.push(node as Target)
  })
  return found
}

function caseOf(
  text: string,
  tree: OrgData,
  node: Target,
  command: string,
  newer: boolean,
  edit: Edit,
): ComparedCase {
  const at = node.position.start.offset + (node.type === 'item' ? 0 : node.level + 1)
  const quiet = `(progn (setq require-final-newline nil) ${command})`
  return { text, at, command: quiet, newer, ours: answered(text, () => edit(text, tree, node)) }
}

function answered(text: string, edit: () => Patch[]): string {
  return orRefused(() => applyPatches(text, edit()))
}

function compare(cases: readonly ComparedCase[]): number {
  const { wrong, compared } = compareEdits(cases)
  expect(wrong).toEqual([])
  return compared
}

const changes = [
  ['state', 'nil'],
  ['presence', "'(4)"],
  ['partial', "'(16)"],
] as const
const setting = (hierarchical: boolean) =>
  `(org-checkbox-hierarchical-statistics ${hierarchical ? 't' : 'nil'})`
const toggle = fc
  .tuple(file, fc.nat(), fc.constantFrom(...changes), fc.boolean())
  .map(([text, pick, [change, argument], hierarchical]) => {
    const tree = parse(text)
    const items = targets(tree, ['item'])
    const few = items.length === 0 || pick % 5 === 0
    const nodes = few ? targets(tree, ['headline', 'item']) : items
    const node = nodes[pick % nodes.length]!
    const from = node.position.start.offset
    const lines = node.type === 'item' ? text.slice(from).split('\n', 1)[0]! : text.slice(from)
    const newer = change !== 'state' && /^[ \t]*\S+(?: {2}|\t)\s*(?:\[@\d\] )?\[/m.test(lines)
    const command = `(let (${setting(hierarchical)}) (org-toggle-checkbox ${argument}))`
    const request: CheckboxRequest = { change, hierarchical }
    return caseOf(text, tree, node, command, newer, (...at) => toggleCheckbox(...at, request))
  })

test.skipIf(!hasEmacs)('a toggle leaves the bytes that Emacs leaves', () => {
  const cases = fc.sample(toggle, { seed: 3, numRuns: 200 })
  expect(compare(cases)).toBeGreaterThan(150)
})

const plain = (text: string) =>
  text.replaceAll('COOKIE_DATA', 'OTHER').replaceAll('=[1/2]=', '=verbatim=')
const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), title, drawer, often(list, '', 1))
  .map(([level, head, data, text]) => `${'*'.repeat(level)} ${head}\n${data}${text}`)
const outline = fc
  .tuple(
    fc.constantFrom(
      ...['', '', ':PROPERTIES:\n:COOKIE_DATA: recursive\n:END:\n', '- [X] a [/]\n'],
      '#+property: COOKIE_DATA recursive\n',
    ),
    fc.array(heading, { minLength: 1, maxLength: 6 }),
    fc.constantFrom('', '', 'windows'),
  )
  .map(([before, headings, kind]) => {
    const text = before + headings.join('')
    return kind === 'windows' ? text.replaceAll('\n', '\r\n') : text
  })
const count = fc.tuple(outline, fc.nat(), fc.boolean()).map(([text, pick, hierarchical]) => {
  const tree = parse(text)
  const nodes = targets(tree, ['headline', 'item'])
  const node = nodes[pick % nodes.length]!
  const newer = node.type === 'headline' && (node !== tree.children[0] || text !== plain(text))
  const command = `(let (${setting(hierarchical)}) (org-update-statistics-cookies nil))`
  return caseOf(text, tree, node, command, newer, (...at) => updateCookies(...at, { hierarchical }))
})

test.skipIf(!hasEmacs)('cookies are counted as Emacs counts them', () => {
  const cases = fc.sample(count, { seed: 4, numRuns: 150 })
  expect(compare(cases)).toBeGreaterThan(100)
})

const countAll = fc
  .tuple(outline, fc.nat(), fc.constantFrom(true, true, false), fc.boolean())
  .map(([raw, pick, whole, hierarchical]) => {
    const text = pick % 3 > 0 ? plain(raw) : raw
    const tree = parse(text)
    const nodes = targets(tree, ['headline'])
    const node = nodes[pick % nodes.length]! as Headline
    const narrow = whole ? '' : '(org-narrow-to-subtree)'
    const command = `(let (${setting(hierarchical)}) ${narrow} (org-update-statistics-cookies t) (widen))`
    const newer = !whole || text !== plain(text)
    return caseOf(text, tree, node, command, newer, (...at) =>
      updateAllCookies(at[0], at[1], whole ? null : node, { hierarchical }),
    )
  })

test.skipIf(!hasEmacs)('all cookies are counted as Emacs counts them', () => {
  const cases = fc.sample(countAll, { seed: 5, numRuns: 160 })
  expect(compare(cases)).toBeGreaterThan(50)
})
