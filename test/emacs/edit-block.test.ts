import fc from 'fast-check'
import { type OrgData, parse, type SrcBlock, walk } from 'org-ast'
import {
  applyPatches,
  type EditableBlock,
  type Patch,
  type ResultRequest,
  type ResultRows,
  setBlockBody,
  setBlockResult,
  setHeaderArgument,
} from 'org-ast/edit'
import { expect, test } from 'vitest'
import { type ComparedCase, compareEdits, hasEmacs, orRefused } from './emacs.ts'

const line = fc.constantFrom(
  ...['echo', '  two', '* star', ',* comma', ' #+begin_x', ',,#+x', '#+end_quote', '', '', '   '],
  ...['\ttab', '茶', ':a: b', '- item', '| a|b |', '#', '#+', '\\* x', ' \t mixed', '[[x]]'],
)
const lines = fc.array(line, { maxLength: 5 })
const body = fc
  .tuple(lines, fc.boolean())
  .map(([all, closed]) => all.join('\n') + (closed && all.length > 0 ? '\n' : ''))

const heads = fc.constantFrom(
  ...[
    'src',
    'src text',
    'src text -n :results output',
    'src text -i',
    'src text :a 1 :b "x :c y" ',
  ],
  ...['example', 'example -i -n', 'export html', 'export', 'comment'],
)
const escaped = (text: string) => text.replace(/^([ \t]*)(?=,*(?:\*|#\+))/gm, '$1,')
const blockOf = (head: string, inner: string) => {
  const end = inner === '' || inner.endsWith('\n') ? '' : '\n'
  return `#+begin_${head}\n${escaped(inner)}${end}#+end_${head.split(' ', 1)[0]}\n`
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

function blockIn(tree: OrgData): EditableBlock {
  let found: EditableBlock | undefined
  walk(tree, (node) => {
    if (/^(?:src|example|export|comment)-block$/.test(node.type)) found ??= node as EditableBlock
  })
  return found!
}

function answered(text: string, edit: () => Patch[]): string {
  return orRefused(() => applyPatches(text, edit()))
}

function compare(cases: readonly ComparedCase[]): number {
  const { wrong, compared } = compareEdits(cases)
  expect(wrong).toEqual([])
  return compared
}

const flag = (value: boolean) => (value ? 't' : 'nil')
const bodies = fc
  .tuple(
    heads,
    body,
    body,
    above,
    place,
    ending,
    fc.constantFrom(2, 2, 0, 9),
    fc.boolean(),
    fc.boolean(),
  )
  .map(
    ([head, old, put, over, at, kind, contentIndentation, preserve, indentTabs]): ComparedCase => {
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
      const ours = answered(text, () => setBlockBody(text, block, put, request))
      return {
        text,
        at: block.postAffiliated,
        command,
        ours,
        newer: /^[ \t]/m.test(put) || head === 'comment' || head === 'src',
      }
    },
  )

test.skipIf(!hasEmacs)('a body is written as Emacs writes it', () => {
  expect(compare(fc.sample(bodies, { seed: 1, numRuns: 240 }))).toBeGreaterThan(100)
})

const argument = fc
  .tuple(
    heads.filter((head) => head.startsWith('src')),
    body,
    above,
    place,
    ending,
    fc
      .constantFrom('dir', 'results', 'exports', 'made-up')
      .chain((name) =>
        fc.tuple(fc.constant(name), fc.constantFrom('output', '/tmp/a b', '"x :y z"', 'no')),
      ),
  )
  .map(([head, inner, over, at, kind, [name, value]]): ComparedCase => {
    const text = ended(at(over + blockOf(head.replace(':results output', ''), inner)), kind)
    const block = blockIn(parse(text)) as SrcBlock
    const quoted = [name, value].map((each) => JSON.stringify(each)).join(' ')
    const command = `(progn (setq require-final-newline nil) (org-babel-insert-header-arg ${quoted}))`
    const ours = answered(text, () => setHeaderArgument(text, block, name, value))
    return { text, at: block.postAffiliated, command, ours, newer: false }
  })

test.skipIf(!hasEmacs)('a header argument is added as Emacs adds it', () => {
  expect(compare(fc.sample(argument, { seed: 2, numRuns: 120 }))).toBeGreaterThan(100)
})

const outputs = fc.oneof(
  { weight: 3, arbitrary: fc.array(line, { maxLength: 4 }).map((all) => all.join('\n')) },
  { weight: 1, arbitrary: fc.constantFrom('a\n', '', '\n', '  ', '|a|\n|bc|2\n', '| x\nafter') },
  {
    weight: 1,
    arbitrary: fc.array(line, { minLength: 10, maxLength: 12 }).map((all) => all.join('\n')),
  },
)
const keyword = fc.constantFrom(
  ...[
    '#+RESULTS:\n',
    '#+results: \n',
    '#+RESULTS[ab12]:\n',
    '#+RESULTS: n\n',
    '#+RESULTS[cd]: n\n',
  ],
  '#+RESULTS[(2026-01-01 10:00:00) ab12]:\n',
)
const printed = fc.constantFrom(
  ...[': a\n', ': a\n: b\n', '#+begin_example\na\n\n#+end_example\n', ':results:\na\n:end:\n', ''],
  ...[
    '| a | b |\n',
    '- a\n- b\n',
    '[[file:a.png]]\n',
    'Text\n',
    '#+caption: c\n: a\n',
    '[[a][b]] c\n',
  ],
  ...['#+begin_src org\na\n#+end_src\n', '#+begin_export html\na\n#+end_export\n', '\n: a\n'],
)
const results = fc
  .tuple(
    fc.constantFrom('\n', '\n', '', '\n\n'),
    keyword,
    printed,
    fc.constantFrom('', '\n', '\nText.\n'),
  )
  .map((parts) => parts.join(''))
const below = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('', '\n', 'Text.\n', '\n\n\nText.\n', '\n: a\n') },
  { weight: 2, arbitrary: results },
)
const names = fc.constantFrom('', '', '', '#+name: n\n', '#+name: other\n')
const formats = fc.constantFrom<ResultRequest['format']>(
  ...(['verbatim', 'verbatim', 'raw', 'drawer', 'html', 'latex', 'org', 'code'] as const),
)
const wraps = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  'quote',
  'export html a',
  'src x :y',
  'no',
)

const cell = fc.oneof(
  fc.constantFrom('a', 'b c', '', '茶', '*x*', 'a_b', '<5>', '-', '\\alpha', '[[x]]', ' y '),
  fc.constantFrom<string | number>(0, -1, 2.5, 1000),
)
const word = fc.oneof(
  fc.constantFrom('a', 'b c', '茶 =x=', 'a_b', '[[x]]'),
  fc.constantFrom(1, 2.5),
)
const row = fc.array(cell, { minLength: 1, maxLength: 3 })
const rows = fc.oneof(
  fc
    .array(fc.oneof({ weight: 4, arbitrary: row }, { weight: 1, arbitrary: fc.constant(null) }), {
      minLength: 1,
      maxLength: 4,
    })
    .filter((all) => all.some((each) => each !== null)),
  row,
)
const items = fc.array(fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })), {
  minLength: 1,
  maxLength: 4,
})
const typed = fc.oneof(
  fc.tuple(rows, fc.constantFrom<ResultRequest>({}, { type: 'table' })),
  fc.tuple(items, fc.constant<ResultRequest>({ type: 'list' })),
  fc.tuple(
    fc.constantFrom('a.png', '/tmp/a b.svg'),
    fc.constantFrom<ResultRequest>({ type: 'file' }, { type: 'file', description: 'D e' }),
  ),
  fc.tuple(fc.constantFrom('a\n\nb', 'a'), fc.constant<ResultRequest>({ type: 'list' })),
)

function lisp(value: string | ResultRows | null): string {
  if (value === null) return 'nil'
  if (typeof value === 'string') return JSON.stringify(value)
  const inner = value.map((each): string => {
    if (each === null) return 'hline'
    return typeof each === 'number' ? String(each) : lisp(each)
  })
  return `(${inner.join(' ')})`
}

const printing = fc
  .tuple(
    fc.tuple(names, body, below, place, ending),
    fc.oneof(fc.tuple(fc.option(outputs), fc.constant<ResultRequest>({})), typed),
    fc.record({
      format: formats,
      wrap: wraps,
      placement: fc.constantFrom('replace', 'replace', 'replace', 'append', 'prepend'),
      hash: fc.constantFrom(undefined, undefined, 'ab12', 'ff'),
      indentTabs: fc.boolean(),
    }),
  )
  .map(
    ([[name, inner, after, at, kind], [output, type], { wrap, hash, ...rest }]): ComparedCase => {
      const text = ended(at(`${name}${blockOf('src text', inner)}${after}`), kind)
      const tree = parse(text)
      const block = blockIn(tree) as SrcBlock
      const request = {
        ...rest,
        ...type,
        ...(wrap === undefined ? {} : { wrap }),
        ...(hash === undefined ? {} : { hash }),
      } as ResultRequest
      const ours = answered(text, () => setBlockResult(text, tree, block, output, request))
      const pairs = { ':wrap': wrap, ':file-desc': type.description }
      const set = Object.entries(pairs).filter(([, value]) => value !== undefined)
      const info = `(list "text" "" '(${set.map(([key, value]) => `(${key} . "${value}")`).join('')}))`
      const params = `'("${rest.placement}" "output" "${type.type ?? 'scalar'}" "${rest.format}")`
      const written = `'${lisp(output)}`
      const cached = hash === undefined ? 'nil' : `"${hash}"`
      const tabs = `indent-tabs-mode ${flag(rest.indentTabs)}`
      const cut = kind === 'cut' ? 'require-final-newline nil' : ''
      const settings = `(setq ${tabs} org-table-may-need-update t ${cut})`
      const command = `(progn ${settings} (org-babel-insert-result ${written} ${params} ${info} ${cached} "text"))`
      const lines = typeof output === 'string' ? output : ''
      const nested = type.type === 'list' && Array.isArray(output) && output.some(Array.isArray)
      const cookies = JSON.stringify(output).includes('<5>')
      const long = nested || cookies || wrap === 'no' || lines.split('\n').length >= 10
      const atEnd = kind === 'cut' && (rest.placement === 'append' || lines.length > 40)
      const elsewhere = name.includes(' n') && hash !== undefined && /^ *(?:-|1\.) /m.test(text)
      const odd = /#\+results[^\n]*(?:$|\n[ \t]*(?::END:|- next))/i.test(text)
      const wrong = odd || atEnd || elsewhere || /^ +$/.test(lines)
      return { text, at: block.postAffiliated, command, ours, newer: long, wrong }
    },
  )

test.skipIf(!hasEmacs)('results are written as Emacs writes them', () => {
  expect(compare(fc.sample(printing, { seed: 3, numRuns: 400 }))).toBeGreaterThan(150)
})
