import fc from 'fast-check'
import { setPriority } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { block, differences, type EditCase, entryLines, fileCase, headLine } from './edit-cases.ts'
import { hasEmacs } from './emacs.ts'

const ranges = [
  { line: [], wanted: ['A', 'B', 'C', 'D'] },
  { line: ['#+PRIORITIES: A E C'], wanted: ['A', 'D', 'F'] },
  { line: ['#+priorities: 1 12 6'], wanted: ['1', '9', '12', '13'] },
]

const cases = fc.constantFrom(...ranges).chain(({ line, wanted }) => {
  const file = fileCase(
    fc.constant(line),
    headLine(['TODO', 'DONE']),
    entryLines(block(['DEADLINE: <2026-11-22 Sun>']), block([':PROPERTIES:', ':ID: 1', ':END:'])),
  )
  const action = fc.constantFrom('up', 'down', 'remove', ...wanted)
  const sane = fc.tuple(file, action).filter(([{ text, line }, name]) => {
    const headline = text.split(/\r?\n/)[line]!
    return name !== 'remove' || /\[#[A-Z0-9]/.test(headline)
  })
  return sane.map(
    ([one, name]): EditCase => ({
      ...one,
      since: '',
      command: `(org-priority ${/^[a-z]/.test(name) ? `'${name}` : /^[A-Z]/.test(name) ? `?${name}` : name})`,
      edit: (text, tree, at) => setPriority(text, tree, at, name === 'remove' ? null : name),
    }),
  )
})

test.skipIf(!hasEmacs)('priorities are set as Emacs does it', () => {
  const sample = fc.sample(cases, { seed: 11, numRuns: 250 })
  expect(differences(sample).wrong).toEqual([])
})
