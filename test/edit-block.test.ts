import fc from 'fast-check'
import {
  applyPatches,
  type EditableBlock,
  type OrgData,
  type Patch,
  parse,
  type ResultRequest,
  type SrcBlock,
  setBlockBody,
  setBlockResult,
  setHeaderArgument,
  walk,
} from 'org-ast'
import { expect, test } from 'vitest'
import { askEmacs, type EmacsCase, hasEmacs } from './emacs.ts'

const line = fc.constantFrom(
  ...['echo', '  two', '* star', ',* comma', ' #+begin_x', ',,#+x', '#+end_quote', '', '', '   '],
  ...['\ttab', '茶', ':a: b', '- item', '| a|b |', '#', '#+', '\\* x', ' \t mixed', '[[x]]'],
)
const lines = fc.array(line, { maxLength: 5 })
const body = fc
  .tuple(lines, fc.boolean())
  .map(([all, closed]) => all.join('\n') + (closed && all.length > 0 ? '\n' : ''))

const heads = fc.constantFrom(
  ...['src', 'src text', 'src text -n :results output', 'src foo -i', 'src text :a 1 :b "x :c y" '],
  ...['example', 'example -i -n', 'export html', 'export', 'comment'],
)
const escape = (text: string) => text.replace(/^([ \t]*)(?=,*(?:\*|#\+))/gm, '$1,')
const blockOf = (head: string, inner: string) => {
  const end = inner === '' || inner.endsWith('\n') ? '' : '\n'
  return `#+begin_${head}\n${escape(inner)}${end}#+end_${head.split(' ', 1)[0]}\n`
}
const indents = (text: string, blanks: string) => text.replace(/^(?=[^\n])/gm, blanks)

const above = fc.constantFrom('', '', '', '#+caption: c\n', '#+caption: c\n#+attr_html: :a b\n')
const place = fc.constantFrom<(block: string) => string>(
  (block) => block,
  (block) => `* a\n${block}`,
  (block) => `Text.\n${block}Text.\n`,
  (block) => indents(block, '  '),
  (block) => indents(block, '\t'),
  (block) => `- item\n${indents(block, '  ')}- next\n`,
  (block) => `1. item\n   - inner\n\n${indents(block, '     ')}\n\nText.\n`,
  (block) => `${' '.repeat(7)}- deep\n${indents(block, `\t${' '.repeat(2)}`)}`,
  (block) => `#+begin_quote\n${block}#+end_quote\n`,
  (block) => `:D:\n${indents(block, ' ')}:END:\n`,
)
const ending = fc.constantFrom('', '', '', 'windows', 'cut')
const ended = (text: string, kind: string) => {
  if (kind === 'windows') return text.replaceAll('\n', '\r\n')
  return kind === 'cut' ? text.replace(/\n+$/, '') : text
}

interface Case extends EmacsCase {
  ours: string
  /** Debian's Org does something else. */
  newer: boolean
}

function blockIn(tree: OrgData): EditableBlock {
  let found: EditableBlock | undefined
  walk(tree, (node) => {
    if (/^(?:src|example|export|comment)-block$/.test(node.type)) found ??= node as EditableBlock
  })
  return found!
}

function attempt(text: string, edit: () => Patch[]): string {
  try {
    return applyPatches(text, edit())
  } catch (error) {
    if (error instanceof RangeError) return 'refused'
    throw error
  }
}

function compare(cases: readonly Case[]): number {
  const { version, results } = askEmacs(cases)
  const old = version.startsWith('9.5')
  const seen = cases.map(({ text, command, ours }, index) => {
    const result = results[index]!
    const theirs = 'error' in result ? 'refused' : result['a.org']!
    return { text, command, ours, theirs }
  })
  const kept = seen.filter((_, index) => !(old && cases[index]!.newer))
  const wrong = kept.filter(({ ours, theirs }) => ours !== theirs)
  expect(wrong.slice(0, 3)).toEqual([])
  return kept.length
}

const flag = (value: boolean) => (value ? 't' : 'nil')
const bodies = fc
  .tuple(heads, body, body, above, place, ending, fc.constantFrom(2, 2, 0, 9), fc.boolean(), fc.boolean())
  .map(([head, old, put, over, at, kind, contentIndentation, preserve, indentTabs]): Case => {
    const text = ended(at(over + blockOf(head, old)), kind)
    const block = blockIn(parse(text))
    const settings = [
      `org-edit-src-content-indentation ${contentIndentation}`,
      `org-src-preserve-indentation ${flag(preserve)}`,
      `indent-tabs-mode ${flag(indentTabs)} org-src-window-setup 'current-window`,
      'require-final-newline nil',
    ]
    const typed = `(erase-buffer) (insert ${JSON.stringify(put)})`
    const command = `(progn (setq ${settings.join(' ')}) (org-edit-special) ${typed} (org-edit-src-exit))`
    const request = { contentIndentation, preserveIndentation: preserve, indentTabs }
    const ours = attempt(text, () => setBlockBody(text, block, put, request))
    return { text, at: block.postAffiliated, command, ours, newer: /^[ \t]/m.test(put) }
  })

test.skipIf(!hasEmacs)('a body is written as Emacs writes it', () => {
  expect(compare(fc.sample(bodies, { seed: 1, numRuns: 240 }))).toBeGreaterThan(100)
})
