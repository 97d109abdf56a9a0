import fc from 'fast-check'
import { deleteProperty, ensureId, setProperty } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { block, differences, type EditCase, entryLines, fileCase, headLine } from './edit-cases.ts'
import { hasEmacs } from './emacs.ts'

const drawers = block(
  [':PROPERTIES:', ':END:'],
  [':PROPERTIES:', ':ID: 1', ':END:'],
  [':PROPERTIES:', ':id:    1', '', ':END:'],
  [':properties:', ':Foo:       bar  ', ':FOO+: more', ':id:', ':end:'],
  [':PROPERTIES:', ':FOO:', '  :header-args:R: :x y', ':Foo: 2', ':END:'],
  [':PROPERTIES:', ':FOO+: a', ':END:', ':PROPERTIES:', ':ID: 2', ':END:'],
  ['', ':PROPERTIES:', ':FOO: 1', ':END:'],
)
const file = fileCase(
  fc.constantFrom<string[]>([], ['#+title: x']),
  headLine(['TODO', 'DONE']),
  entryLines(block(['DEADLINE: <2026-11-22 Sun>'], ['CLOSED: [2026-11-22 Sun] words']), drawers),
)
const name = fc.constantFrom('FOO', 'foo', 'ID', 'FOO+', 'header-args:R', 'A_LONG_NAME')
const value = fc.constantFrom('', '1', 'bar', 'bar more', '  spaced  ', '水 [1]', 'nil', ':x y')

const quote = JSON.stringify
const setCases = fc.tuple(file, name, value).map(
  ([one, key, text]): EditCase => ({
    ...one,
    since: one.text.includes(':Foo: 2') ? '9.8' : one.since,
    command: `(org-set-property ${quote(key)} ${quote(text)})`,
    edit: (source, _, headline) => setProperty(source, headline, key, text),
  }),
)
const deleteCases = fc.tuple(file, name).map(
  ([one, key]): EditCase => ({
    ...one,
    since: '',
    command: `(org-delete-property ${quote(key)})`,
    edit: (source, _, headline) => deleteProperty(source, headline, key),
  }),
)
const idCases = file.map(
  (one): EditCase => ({
    ...one,
    command: `(cl-letf (((symbol-function 'org-id-new) (lambda (&rest _) "new"))) (org-id-get-create))`,
    edit: (source, _, headline) => ensureId(source, headline, 'new'),
  }),
)

test.skipIf(!hasEmacs)('properties are set and deleted as Emacs does it', () => {
  const sets = fc.sample(setCases, { seed: 21, numRuns: 200 })
  const deletions = fc.sample(deleteCases, { seed: 22, numRuns: 120 })
  const ids = fc.sample(idCases, { seed: 23, numRuns: 150 })
  expect(differences([...sets, ...deletions, ...ids]).wrong).toEqual([])
})

const starts = fc.constantFrom(
  ...['', 'Text', '#+title: x\n', '# c\n# d\n\nText\n', '# c', '\n', '# c\n'],
  ...[':PROPERTIES:\n:FOO: 1\n:END:\n#+title: x\n', '# c\n:PROPERTIES:\n:END:\n', '#+a: b\n# c\n'],
  ...['  # c\nText\n', '#c\n', '# c\r\nText\r\n'],
)
const fileCases = fc
  .tuple(starts, fc.constantFrom('', '* x\n:PROPERTIES:\n:FOO: 2\n:END:\n'), name, value)
  .filter(([start, rest]) => rest === '' || /[^\r]\n$|^$/.test(start))
  .map(
    ([start, rest, key, text]): EditCase => ({
      text: start + rest,
      line: 0,
      since: start.startsWith(' ') ? '9.8' : '',
      command: `(org-set-property ${quote(key)} ${quote(text)})`,
      edit: (source, tree) => setProperty(source, tree, key, text),
    }),
  )

test.skipIf(!hasEmacs)('the file has a drawer of its own', () => {
  const sample = fc
    .sample(fileCases, { seed: 24, numRuns: 150 })
    .filter(({ text }) => !text.startsWith('*'))
  expect(differences(sample).wrong).toEqual([])
})
