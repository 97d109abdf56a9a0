import fc from 'fast-check'
import { addNote, type InertOrg } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { block, differences, type EditCase, entryLines, fileCase, headLine } from './edit-cases.ts'
import { caseTime, hasEmacs } from './emacs.ts'

const settings = fc.constantFrom<string[]>(
  ...[[], [], ['#+STARTUP: logdrawer'], ['#+STARTUP: nologstatesreversed']],
  ['#+startup: logdrawer nologstatesreversed'],
  ['#+PROPERTY: LOG_INTO_DRAWER Notes', ''],
)
const notes = fc.constantFrom('Asked again.', 'One\nTwo', '* star\n\n  indented', '')

const cases = fc
  .tuple(
    fileCase(
      settings,
      headLine(['TODO', 'DONE']),
      entryLines(
        block(['SCHEDULED: <2026-11-22 Sun +1w>'], ['CLOSED: [2026-11-01 Sun 10:00]']),
        block(
          [':PROPERTIES:', ':ID: 1', ':END:'],
          [':PROPERTIES:', ':LOG_INTO_DRAWER: nil', ':END:'],
        ),
      ),
    ),
    notes,
  )
  .map(
    ([one, note]): EditCase => ({
      ...one,
      since: note.includes('\n\n') ? '9.8' : one.since,
      command: `(progn (setq test-note ${JSON.stringify(note)}) (org-add-note))`,
      edit: (text, tree, at) => addNote(text, tree, at, { now: caseTime, note: note as InertOrg }),
    }),
  )

test.skipIf(!hasEmacs)('notes are added as Emacs does it', () => {
  const sample = fc.sample(cases, { seed: 5, numRuns: 200 })
  expect(differences(sample).wrong).toEqual([])
})
