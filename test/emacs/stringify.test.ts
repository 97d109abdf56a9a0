import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type AnyOrgNode, parse, walk } from 'org-ast'
import { stringify } from 'org-ast/stringify'
import { expect, test } from 'vitest'
import { orgDocument } from './documents.ts'
import { askEmacs, hasEmacs } from './emacs.ts'
import { orgTree, toLisp } from './trees.ts'

const root = join(import.meta.dirname, '../..')

/** What each expression gives when it is asked in a buffer with its text; or a complaint. */
function printed(
  expressions: readonly string[],
  texts: readonly string[] = [],
): (string | { error: string })[] {
  const cases = expressions.map((expression, index) => ({
    text: texts[index] ?? '',
    at: 0,
    command: `(let ((text ${expression})) (erase-buffer) (insert text))`,
  }))
  return askEmacs(cases).results.map((result) => {
    const { error, 'a.org': text } = result as Record<string, string>
    return text ?? { error: error ?? '' }
  })
}

function reprinted(texts: readonly string[]): (string | { error: string })[] {
  const expression = '(org-element-interpret-data (org-element-parse-buffer))'
  return printed(Array(texts.length).fill(expression), texts)
}

const exceptions: Record<string, (node: AnyOrgNode) => boolean> = {
  'Emacs prints nil for the contents of an empty block': (node) =>
    containers.has(node.type) && 'children' in node && node.children.length === 0,
  'Emacs cannot print an empty footnote': (node) =>
    node.type === 'footnote-definition' && node.children.length === 0,
  'Emacs counts the line of an empty item among the empty lines behind it': (node) =>
    node.type === 'item' && node.children.length === 0,
  'Emacs does not print an empty comment': (node) => node.type === 'comment' && node.value === '',
  'Emacs does not escape the body of an export block': (node) =>
    node.type === 'export-block' && /^[ \t]*,/m.test(node.value),
  'Emacs counts the empty line that is a paragraph among the empty lines behind it': (node) =>
    node.type === 'paragraph' &&
    node.children[0]?.type === 'plain-text' &&
    /^\r?\n$/.test(node.children[0].value),
  'Emacs sees text in a keyword above a comment or a clock': (node) =>
    node.type === 'paragraph' &&
    node.affiliated.length > 0 &&
    node.children[0]?.type === 'plain-text' &&
    /^[ \t]*(?:#(?=[ \n]|$)|CLOCK:)/.test(node.children[0].value),
}

const containers: ReadonlySet<string> = new Set([
  'center-block',
  'quote-block',
  'verse-block',
  'special-block',
  'dynamic-block',
  'property-drawer',
  'drawer',
])

function isException(text: string): boolean {
  let found = false
  walk(parse(text), (node) => {
    found ||= Object.values(exceptions).some((matches) => matches(node))
  })
  return found
}

const olderThan98: [what: string, pattern: RegExp, instead: string][] = [
  ['a range of hours becomes two dates', /(\d:\d\d)-\d+:\d\d/g, '$1'],
  ['the limit of a repeater is lost', /\/\d[hdwmy](?=[ \]>])/g, ''],
  ['what follows the name of a block is lost', /(#\+begin_note).*/gi, '$1'],
  ['files get a type', /\[\[([.~]\/)/g, '[[file:$1'],
  ['a headline without a title has one blank less', emptyHeadline(), '$1x$2'],
  ['tabs are taken apart', /\t/g, '  '],
  ['empty lines of code are cleaned', /^[ \t]+$/gm, ''],
  ['an empty line follows each fixed-width area', /^( *):(?= |$)/gm, '$1%'],
  ['a comment and a clock may have names', namesOfNothing(), ''],
  [
    'a drawer keeps its first empty lines',
    /^([ \t]*:(?:drawer|logbook):)\n(?:[ \t]*\n)+/gim,
    '$1\n',
  ],
]

function emptyHeadline(): RegExp {
  return /^(\*+ (?:TODO |DONE |\[#.\] |COMMENT )*)(?:TODO)?([ \t]*:\S+: *)?$/gm
}

function namesOfNothing(): RegExp {
  return /^[ \t]*#\+[a-z].*\n(?=(?:[ \t]*#\+.*\n)*[ \t]*(?:#(?: |$)|CLOCK:))/gim
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < 9 || (major === 9 && minor < 8)
}

function forOlderOrg(text: string): string {
  return olderThan98.reduce((text, [, pattern, instead]) => text.replace(pattern, instead), text)
}

function firstDifference(theirs: string, ours: string): string {
  const [lines, ourLines] = [theirs.split('\n'), ours.split('\n')]
  const at = lines.findIndex((line, index) => line !== ourLines[index])
  return `line ${at + 1}: ${JSON.stringify(lines[at])}, ours ${JSON.stringify(ourLines[at])}`
}

function generated(count: number): string[] {
  return fc.sample(orgDocument, { seed: 42, numRuns: count }).filter((text) => !isException(text))
}

const guardedExport = /^[ \t]*#\+begin_export.*\n(?:(?![ \t]*#\+end_export).*\n)*?[ \t]*,+[*#]/im

test.skipIf(!hasEmacs)('the same bytes', { timeout: 120_000 }, () => {
  const older = isOlder(askEmacs([]).version)
  const files = globSync(['org/**/*.org', 'test/memex/**/*.org'], { cwd: root }).sort()
  const real = files.map((file) => readFileSync(join(root, file), 'utf8'))
  const texts = [...real, ...generated(350)].map(older ? forOlderOrg : String)
  const differences: string[] = []
  for (const [index, theirs] of reprinted(texts).entries()) {
    const ours = stringify(parse(texts[index]!))
    if (ours === theirs || guardedExport.test(texts[index]!)) continue
    const why = typeof theirs === 'string' ? firstDifference(theirs, ours) : theirs.error
    differences.push(`${files[index] ?? JSON.stringify(texts[index])}: ${why}`)
  }
  expect(differences).toEqual([])
  expect(texts.length).toBeGreaterThan(files.length + 220)
})

test.skipIf(!hasEmacs)('the same bytes for trees made by hand', { timeout: 120_000 }, (context) => {
  if (isOlder(askEmacs([]).version)) return context.skip()
  const trees = fc.sample(orgTree, { seed: 42, numRuns: 200 })
  const texts = printed(trees.map((tree) => `(org-element-interpret-data '${toLisp(tree)})`))
  const differences: string[] = []
  for (const [index, theirs] of texts.entries()) {
    const ours = stringify(trees[index]!)
    if (ours === theirs) continue
    const why = typeof theirs === 'string' ? firstDifference(theirs, ours) : theirs.error
    differences.push(`${toLisp(trees[index]!)}: ${why}`)
  }
  expect(differences).toEqual([])
})

const variables = `(org-tags-column 50) (org-src-content-indentation 0) (indent-tabs-mode nil)`

test.skipIf(!hasEmacs)('the same bytes with other options', { timeout: 120_000 }, () => {
  const older = isOlder(askEmacs([]).version)
  const texts = generated(60).map(older ? forOlderOrg : String)
  const indentation = older ? variables.replace('src-content', 'edit-src-content') : variables
  const expression = `(let (${indentation}) (org-element-interpret-data (org-element-parse-buffer)))`
  const options = { tagsColumn: 50, contentIndentation: 0, tabs: false }
  const ours = texts.map((text) => stringify(parse(text), options))
  expect(ours).toEqual(printed(Array(texts.length).fill(expression), texts))
})

test.skipIf(!hasEmacs)('what Emacs prints and we do not', () => {
  const [quote, properties, exported, item, comment, empty] = reprinted([
    '#+begin_quote\n#+end_quote\n',
    '* a\n:PROPERTIES:\n:END:\n',
    '#+begin_export html\n,* a\n#+end_export\n',
    '-\n- a\n',
    'a\n#\n',
    '#+begin_quote\n\na\n#+end_quote\n',
  ])
  expect(quote).toBe('#+begin_quote\nnil#+end_quote\n')
  expect(properties).toBe('* a\n:PROPERTIES:\nnil:END:\n')
  expect(exported).toBe('#+begin_export HTML\n* a\n#+end_export\n')
  expect(item).toBe('- \n\n- a\n')
  expect(comment).toBe('a\n')
  expect(empty).toBe('#+begin_quote\n\n\na\n#+end_quote\n')
})

test('what we print instead', () => {
  const again = (text: string) => stringify(parse(text))
  expect(again('#+begin_quote\n#+end_quote\n')).toBe('#+begin_quote\n#+end_quote\n')
  expect(again('* a\n:PROPERTIES:\n:END:\n')).toBe('* a\n:PROPERTIES:\n:END:\n')
  expect(again('#+begin_export html\n,* a\n#+end_export\n')).toBe(
    '#+begin_export HTML\n,* a\n#+end_export\n',
  )
  expect(again('-\n- a\n')).toBe('- \n- a\n')
  expect(again('a\n#\n')).toBe('a\n#\n')
  expect(again('#+begin_quote\n\na\n#+end_quote\n')).toBe('#+begin_quote\n\na\n#+end_quote\n')
})

const written = new Set(
  'position contentsBegin contentsEnd postAffiliated line bullet rawValue rawLink'.split(' '),
)

/** A tree without what printing may change. */
function meaning(tree: AnyOrgNode): string {
  return JSON.stringify(tree, (key, value) => {
    if (written.has(key)) return undefined
    if (key === 'checkbox') return value !== null
    if (key === 'affiliated') return grouped(value)
    if (typeof value === 'string') return squeezed(value)
    if (key !== 'children' || !Array.isArray(value)) return value
    const kept = value.filter((node) => node.type !== 'plain-text' || squeezed(node.value) !== '')
    while (kept.at(-1)?.type === 'table-cell' && kept.at(-1).children.length === 0) kept.pop()
    return kept
  })
}

/** White space as one blank, and code without the commas that escape it. */
function squeezed(text: string): string {
  return text
    .replace(/^([ \t]*),+(?=\*|#\+)/gm, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

function grouped(keywords: { key: string; value: string; dual: string | null }[]): unknown {
  const groups: Record<string, string[]> = {}
  for (const { key, value, dual } of keywords) {
    const text = `${dual}:${squeezed(value)}`
    if (/^(?:CAPTION|HEADER|ATTR_)/.test(key)) groups[key] = [...(groups[key] ?? []), text]
    else groups[key] = [text]
  }
  return groups
}

const changing =
  /^[ \t]+(?:%%\(|\[fn:|\* )|^[ \t]*#\+call:.*\)\[|^#\+.*\n\[fn:.*\]\n|^[ \t]*open$/im

function isChanging(text: string): boolean {
  let found = changing.test(text)
  walk(parse(text), (node) => {
    if (node.type === 'latex-environment') found ||= /^[ \t]/.test(node.value)
    if (node.type !== 'plain-list') return
    const kinds = new Set(node.children.map((item) => /[0-9]/.test(item.bullet)))
    found ||= kinds.size > 1
  })
  return found
}

test('what was printed has the tree that was printed', () => {
  const stable = orgDocument.filter((text) => !isChanging(text) && !isException(text))
  fc.assert(
    fc.property(stable, (text) => {
      const tree = parse(text)
      expect(meaning(parse(stringify(tree)))).toBe(meaning(tree))
    }),
    { numRuns: 200 },
  )
})
