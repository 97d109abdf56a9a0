import fc from 'fast-check'
import { setPlanning, setWarning } from 'org-ast/edit'
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

const step = fc
  .tuple(
    fc.constantFrom('+', '-', '++', '--', '-+', '+-'),
    fc.constantFrom('0', '1', '2', '14', '40'),
    fc.constantFrom(
      'd',
      'w',
      'm',
      'y',
      'h',
      '',
      'fri',
      'Sat',
      'tue',
      'd 9:05',
      'w 10:00-11:30',
      'h 8:00',
    ),
  )
  .map((parts) => parts.join(''))
  .filter((parts) => !/\d\dy/.test(parts))
const steps = fc.oneof(
  step,
  fc.constantFrom('.', '+w', '++m', 'mon', 'sunday', '3wed', '+d', '-sat'),
)
const textDate = /\n\n[ \t]*DEADLINE:|\r\n\r\n[ \t]*DEADLINE:/

const cases = fc
  .tuple(file, fc.constantFrom('scheduled', 'deadline'), fc.oneof(wanted, steps))
  .map(([one, key, asked]): EditCase => {
    const date = textDate.test(one.text) && /^[-+]+\d/.test(asked ?? '') ? null : asked
    return {
      ...one,
      since:
        date?.endsWith(' -1d>') || /\dh/.test(date ?? '')
          ? '9.8'
          : one.text.includes('log')
            ? one.since
            : '',
      command: `(org-${key === 'scheduled' ? 'schedule' : key} ${date === null ? "'(4)" : `nil "${date}"`})`,
      edit: (text, tree, headline) =>
        setPlanning(text, tree, headline, { [key]: date, now: caseTime }),
    }
  })

test.skipIf(!hasEmacs)('dates are set as Emacs does it', () => {
  const sample = fc.sample(cases, { seed: 31, numRuns: 400 })
  expect(differences(sample).wrong).toEqual([])
})

const warnings = fc
  .tuple(file, fc.constantFrom('scheduled', 'deadline'), fc.constantFrom(0, 1, 3, 30))
  .map(([one, key, days]): EditCase => {
    const answer = `(lambda (&rest args) (time-subtract (nth 4 args) (days-to-time ${days})))`
    const command = `(org-${key === 'scheduled' ? 'schedule' : key} '(16))`
    return {
      ...one,
      since: '',
      command: `(cl-letf (((symbol-function 'org-read-date) ${answer})) ${command})`,
      edit: (text, _, headline) =>
        setWarning(text, headline, key as 'scheduled' | 'deadline', days),
    }
  })

test.skipIf(!hasEmacs)('warnings are set as Emacs does it', () => {
  const sample = fc.sample(warnings, { seed: 33, numRuns: 150 })
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
