import fc from 'fast-check'
import { setPlanning } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { block, differences, type EditCase, entryLines, fileCase, headLine } from './edit-cases.ts'
import { caseTime, hasEmacs } from './emacs.ts'

const dates = block(
  ['SCHEDULED: <2026-11-22 Sun>'],
  ['DEADLINE: <2026-11-22 Sun 10:00 +1w -3d>'],
  ['SCHEDULED: <2026-11-22 Sun .+2d/4d>  DEADLINE: <2026-11-22 Sun>'],
  ['CLOSED: [2026-11-20 Fri 10:00] SCHEDULED: <2026-11-22 Sun 9:00-10:30>'],
  ['DEADLINE: <2026-11-22 Sun --2d> CLOSED: [2026-11-20 Fri 10:00] SCHEDULED: <2026-11-23 Mon>'],
  ['CLOSED: [2026-11-20 Fri 10:00]'],
  ['SCHEDULED:<2026-11-22>'],
  ['', 'DEADLINE: <2026-11-22 Sun>'],
)
const settings = fc.constantFrom<string[]>(
  [],
  ['#+startup: logreschedule logredeadline'],
  ['#+startup: lognotereschedule lognoteredeadline logdrawer'],
  ['#+STARTUP: logreschedule nologstatesreversed logredeadline'],
  ['#+startup: logredeadline logdrawer nologstatesreversed logreschedule'],
)
const file = fileCase(
  settings,
  headLine(['TODO', 'DONE']),
  entryLines(dates, block([':PROPERTIES:', ':LOG_INTO_DRAWER: Log', ':END:'])),
)
const wanted = fc.constantFrom(
  ...[null, null, '2026-12-24', '<2026-12-24 Thu>', '<2026-12-24 Mon 9:00>', '2026-12-24 9:05'],
  ...['<2026-12-24 +1m>', '<2026-12-24 Thu 09:00-10:00 ++2w -1d>', '<2026-11-22 Sun>'],
)

const cases = fc.tuple(file, fc.constantFrom('scheduled', 'deadline'), wanted).map(
  ([one, key, date]): EditCase => ({
    ...one,
    since: date?.endsWith(' -1d>') ? '9.8' : one.text.includes('log') ? one.since : '',
    command: `(org-${key === 'scheduled' ? 'schedule' : key} ${date === null ? "'(4)" : `nil "${date}"`})`,
    edit: (text, tree, headline) =>
      setPlanning(text, tree, headline, { [key]: date, now: caseTime }),
  }),
)

test.skipIf(!hasEmacs)('dates are set as Emacs does it', () => {
  const sample = fc.sample(cases, { seed: 31, numRuns: 300 })
  expect(differences(sample).wrong).toEqual([])
})

const closed = fc.constantFrom(null, '2026-12-24 9:05', '[2026-12-24 Mon 09:05]')
const closedCases = fc.tuple(file, closed).map(
  ([one, date]): EditCase => ({
    ...one,
    since: '',
    command: `(org-add-planning-info ${date === null ? "nil nil 'closed" : `'closed (org-time-string-to-time "2026-12-24 09:05")`})`,
    edit: (text, tree, headline) => setPlanning(text, tree, headline, { closed: date }),
  }),
)

test.skipIf(!hasEmacs)('tasks are closed as Emacs does it', () => {
  const sample = fc.sample(closedCases, { seed: 32, numRuns: 100 })
  expect(differences(sample).wrong).toEqual([])
})
