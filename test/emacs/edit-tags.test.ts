import fc from 'fast-check'
import { setTags, toggleTag } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { block, differences, type EditCase, entryLines, fileCase, headLine } from './edit-cases.ts'
import { hasEmacs } from './emacs.ts'

const file = fileCase(
  fc.constant([]),
  headLine(['TODO', 'DONE']),
  entryLines(block(['DEADLINE: <2026-11-22 Sun>']), block([':PROPERTIES:', ':ID: 1', ':END:'])),
)
const tag = fc.constantFrom('a', 'b_2', 'home', '@work', '家', 'Ünïcode', 'x#1', '50%')
const list = fc.uniqueArray(tag, { maxLength: 4 })

const setCases = fc.tuple(file, list).map(
  ([one, tags]): EditCase => ({
    ...one,
    since: '',
    command: `(org-set-tags '(${tags.map((name) => JSON.stringify(name)).join(' ')}))`,
    edit: (text, _, headline) => setTags(text, headline, tags),
  }),
)

const to = fc.constantFrom(undefined, 'on', 'off')
const toggleCases = fc.tuple(file, tag, to).map(
  ([one, name, state]): EditCase => ({
    ...one,
    since: '',
    command: `(org-toggle-tag ${JSON.stringify(name)} ${state ? `'${state}` : 'nil'})`,
    edit: (text, _, headline) => toggleTag(text, headline, name, state as 'on' | undefined),
  }),
)

test.skipIf(!hasEmacs)('tags are set and toggled as Emacs does it', () => {
  const sets = fc.sample(setCases, { seed: 7, numRuns: 150 })
  const toggles = fc.sample(toggleCases, { seed: 8, numRuns: 150 })
  expect(differences([...sets, ...toggles]).wrong).toEqual([])
})
