import fc from 'fast-check'
import {
  category,
  effectiveLevel,
  fileOptions,
  headlines,
  inheritedProperty,
  inheritedTags,
  parse,
  property,
} from 'org-ast'
import { expect, test } from 'vitest'
import { askEmacs, hasEmacs } from './emacs.ts'

const settings = `
#+TODO: A(a) B(b!) | C
#+TODO: A B |
#+SEQ_TODO: D
#+TYP_TODO: E | F(f/!) C
#+todo: G(x)y
#+TODO:
#+PRIORITIES: A E C
#+PRIORITIES: 1 x12 6
#+PRIORITIES: A B
#+priorities:
#+STARTUP: odd overview lognotedone
#+startup: oddeven LOGDRAWER nologdone
#+STARTUP: Odd whatever constSI
#+ARCHIVE: x::
#+ARCHIVE:
#+CATEGORY: c
#+category: d e
#+CONSTANTS: a=1 b0=x 1c=2
#+CONSTANTS: a=2 d= _e=3
#+PROPERTY: P 1
#+PROPERTY: p+ 2
#+PROPERTY: q+ 3
#+PROPERTY: r
#+FILETAGS: :x:y: z
#+FILETAGS: w x
#+COLUMNS: %ITEM
#+COLUMNS: %TODO
#+begin_example
#+TODO: N | M
#+end_example
`

const lines = settings.trim().split(/\n(?!#\+TODO: N|#\+end)/)
const drawerLines = ':P: a|:p+: b|:P+: c|:Q: nil|:q: d|:Q:|:CATEGORY: e|:R+: nil|:r: f g'.split('|')
const drawer = fc
  .subarray(drawerLines)
  .chain((some) => fc.shuffledSubarray(some, { minLength: some.length }))
  .map((some) => (some.length === 0 ? '' : `:PROPERTIES:\n${some.join('\n')}\n:END:\n`))
const headline = fc
  .tuple(
    fc.constantFrom('*', '**', '***', '****'),
    fc.constantFrom('A', 'B', 'C', 'D', 'G(x)y', 'TODO', 'DONE', 'N'),
    fc.constantFrom('', ' :x:', ' :a:y:', ' :a:'),
    fc.constantFrom('', 'SCHEDULED: <2026-01-01 Thu>\n'),
    drawer,
  )
  .map(
    ([stars, keyword, tags, planning, below]) =>
      `${stars} ${keyword} t${tags}\n${planning}${below}`,
  )
const file = fc
  .tuple(
    fc.constantFrom('', '# comment\n'),
    drawer,
    fc.array(fc.constantFrom(...lines), { maxLength: 6 }),
    fc.array(headline, { minLength: 1, maxLength: 5 }),
  )
  .map(
    ([comment, top, some, all]) =>
      `${comment}${top}${some.map((line) => `${line}\n`).join('')}${all.join('')}`,
  )

const question = `
(let ((found nil))
  (org-map-entries
   (lambda ()
     (push (vector (org-get-todo-state)
                 (org-reduced-level (org-outline-level))
                 (mapcar #'substring-no-properties (org-get-tags))
                 (org-entry-get (point) "p" t)
                 (org-entry-get (point) "Q" t)
                 (org-entry-get (point) "r" t)
                 (org-entry-get (point) "P")
                 (org-get-category))
           found)))
  (let ((all (list (delete-dups org-not-done-keywords) (delete "|" (delete-dups org-done-keywords))
                   org-priority-highest org-priority-lowest org-priority-default
                   (and org-odd-levels-only t) org-log-done org-log-into-drawer
                   org-archive-location org-columns-default-format
                   (reverse org-table-formula-constants-local)
                   (vconcat (nreverse found)))))
    (erase-buffer)
    (insert (json-encode (vconcat all)))))`

function ours(text: string): unknown {
  const tree = parse(text)
  const options = fileOptions(tree)
  const { highest, lowest, default: usual } = options.priorities
  const number = (value: string) => (/\d/.test(value) ? Number(value) : value.charCodeAt(0))
  const constants = Object.fromEntries(options.constants)
  return [
    orNull(tree.todoKeywords.filter((keyword) => !tree.doneKeywords.includes(keyword))),
    orNull(tree.doneKeywords),
    ...[highest, lowest, usual].map(number),
    options.startup.oddLevels ?? null,
    options.startup.logDone || null,
    options.startup.logIntoDrawer ?? null,
    options.archive ?? '%s_archive::',
    options.columns ?? '%25ITEM %TODO %3PRIORITY %TAGS',
    Object.keys(constants).length === 0 ? null : constants,
    [...headlines(tree)].map((headline) => [
      headline.todoKeyword,
      effectiveLevel(headline, options),
      orNull(inheritedTags(tree, headline)),
      inheritedProperty(tree, headline, 'p', options),
      inheritedProperty(tree, headline, 'Q', options),
      inheritedProperty(tree, headline, 'r', options),
      property(headline, 'P'),
      category(tree, headline, 'a', options),
    ]),
  ].map((value) => (value === false ? null : value))
}

function orNull<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list
}

function isOlder(version: string): boolean {
  return /^9\.[0-6]\b/.test(version)
}

test.skipIf(!hasEmacs)('settings and inheritance', { timeout: 120_000 }, (context) => {
  const texts = fc.sample(file, { seed: 7, numRuns: 300 })
  const asked = texts.map((text) => ({ text, at: 0, command: question }))
  const { version, results } = askEmacs(asked)
  if (isOlder(version)) return context.skip()
  const differences = texts.flatMap((text, index) => {
    const result = results[index] as Record<string, string>
    const theirs = result['a.org'] ?? JSON.stringify(result)
    const own = JSON.stringify(ours(text))
    return theirs.trim() === own ? [] : [{ text, theirs, own }]
  })
  expect(differences).toEqual([])
})

const items = {
  'headline-levels': 'h',
  'with-toc': 'toc',
  'preserve-breaks': '\\n',
  'with-sub-superscript': '^',
  'with-fixed-width': ':',
  'with-drawers': 'd',
  'with-tags': 'tags',
  'with-tables': '|',
  'with-author': 'author',
}

const value = fc.constantFrom(
  ...['t', 'nil', '{}', '3', '-1.5', '"a b"', '"a\\"b"', '(not "X" (y))', '()', 'not-in-toc', ''],
)
const optionsLine = fc
  .array(
    fc.tuple(
      fc.constantFrom('H', 'toc', '\\n', '^', ':', 'd', 'TAGS', '|', 'author', 'x y'),
      value,
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((pairs) => pairs.map(([name, one]) => `${name}:${one}`).join(' '))

test.skipIf(!hasEmacs)('export options', { timeout: 120_000 }, (context) => {
  const texts = fc.sample(optionsLine, { seed: 7, numRuns: 200 })
  const keys = Object.keys(items).map((name) => `:${name}`)
  const command = `
    (let* ((line (buffer-string))
           (found (progn (require 'ox) (org-export--parse-option-keyword line)))
           (all (mapcar (lambda (key) (plist-get found key)) '(${keys.join(' ')}))))
      (erase-buffer)
      (insert (json-encode (vconcat all))))`
  const { version, results } = askEmacs(texts.map((text) => ({ text, at: 0, command })))
  if (isOlder(version)) return context.skip()
  for (const [index, text] of texts.entries()) {
    const { exportOptions } = fileOptions(parse(`#+options: ${text}\n`))
    const own = Object.values(items).map((name) => exportOptions.get(name) || null)
    const theirs = (results[index] as Record<string, string>)['a.org']
    expect({ text, answer: theirs?.trim() }).toEqual({ text, answer: JSON.stringify(own) })
  }
})
