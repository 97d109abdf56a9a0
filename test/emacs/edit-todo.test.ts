import fc from 'fast-check'
import { cycleTodo, setTodo, type TodoStep } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { block, differences, type EditCase, entryLines, fileCase, headLine } from './edit-cases.ts'
import { caseTime, hasEmacs } from './emacs.ts'

const keywordLines = [
  { lines: [], words: ['TODO', 'DONE'] },
  {
    lines: ['#+TODO: TODO(t!) WAIT(w@/!) | DONE(d!) CANCELED(c@)'],
    words: ['TODO', 'WAIT', 'DONE', 'CANCELED'],
  },
  {
    lines: ['#+SEQ_TODO: TODO TODONE | DONE', '#+todo: OPEN(/!) | SHUT(/@)', '#+typ_todo: Ana Bo'],
    words: ['TODO', 'TODONE', 'DONE', 'OPEN', 'SHUT', 'Ana', 'Bo'],
  },
  { lines: ['#+TODO: A B C'], words: ['A', 'B', 'C'] },
  { lines: ['#+TODO: A B(!) |', '#+typ_todo: C D |'], words: ['A', 'B', 'C', 'D'] },
  { lines: ['#+TYP_TODO: Ana Bo Cy | Dee Eve', '#+TODO: A | B'], words: ['Ana', 'Cy', 'Dee', 'B'] },
]
const startups = [
  ...['', 'logdone', 'LogDone logdrawer', 'lognotedone', 'logdone nologstatesreversed'],
  ...['lognoterepeat logdrawer nologstatesreversed', 'nologrepeat', 'nologdone logrepeat'],
]
const inherited = [
  { above: [':PROPERTIES:', ':LOG_INTO_DRAWER: t', ':END:'], below: [] },
  {
    above: [],
    below: ['#+PROPERTY: LOGGING DONE(@) logrepeat', '#+property: COOKIE_DATA recursive'],
  },
  { above: [], below: ['#+PROPERTY: LOG_INTO_DRAWER Notes', ''] },
  { above: [], below: ['#+begin_example', '#+STARTUP: nologdone', '#+end_example'] },
]

const dates = block(
  ['SCHEDULED: <2026-11-22 Sun>'],
  ['DEADLINE: <2026-11-10 Tue 10:00 +1w -3d>'],
  ['SCHEDULED: <2026-10-22 Thu .+2d/4d>  DEADLINE: <2026-01-31 Sat ++1m>'],
  ['CLOSED: [2026-11-20 Fri 10:00] SCHEDULED: <2026-11-20 Fri 9:00-10:30 ++2h>'],
  [
    'DEADLINE: <2024-02-29 Thu +1y --2d> CLOSED: [2026-11-20 Fri 10:00] SCHEDULED: <2026-11-23 Mon>',
  ],
  ['CLOSED: [2026-11-20 Fri 10:00]'],
  ['SCHEDULED: <2026-11-20 Fri 23:10 .+36h>'],
  ['SCHEDULED: <2026-11-20 Fri +0d>'],
)
const properties = block(
  [':PROPERTIES:', ':ID: 1', ':END:'],
  [':PROPERTIES:', ':LOGGING: nil', ':END:'],
  [':PROPERTIES:', ':LOGGING: logdone WAIT(@) DONE(!)', ':When: <2026-11-01 Sun +1w>', ':END:'],
  [':PROPERTIES:', ':LOG_INTO_DRAWER: Log', ':REPEAT_TO_STATE: WAIT', ':END:'],
  [':PROPERTIES:', ':log_into_drawer: nil', ':LAST_REPEAT: [2026-01-01 Thu 10:00]', ':END:'],
)
const more = block(
  ['Again <2026-11-01 Sun +1w> and [2026-11-01 Sun +1w], <2026-11-19 Thu 7:30 ++1d>.'],
  ['#+begin_example', '<2026-11-01 Sun +1w>', '#+end_example', '<2026-11-01 Sun>'],
  ['| <2026-11-01 Sun ++1y> |', '# <2026-11-01 Sun +1w>'],
  ['- <2026-11-01 Sun +1d>--<2026-11-02 Mon +1d>'],
)

const steps = ['next', 'right', 'left', 'nextset', 'previousset', 'done', 'none']
const prefixes = ['1', '2', '5', '30', "'(4)", "'(4)", "'(16)", '0', '0', '-1', '-1']

/** What `org-todo` is given, and what that is for us. */
function asked(target: string): { argument: string; step: TodoStep | null; more: object } {
  if (steps.includes(target)) {
    const argument = target === 'next' ? '' : `'${target}`
    return { argument, step: target as TodoStep, more: {} }
  }
  if (!prefixes.includes(target)) return { argument: `"${target}"`, step: null, more: {} }
  const more =
    target === "'(4)"
      ? { logNote: true }
      : { logNote: target !== '0' && undefined, cancelRepeaters: target === '-1' }
  const count = Number(target)
  const step = target === "'(16)" ? 'nextset' : count >= 1 ? count : 'next'
  return { argument: target, step, more }
}

function hangsEmacs(text: string): boolean {
  const stamps = text.match(/<\d{4}-\d\d-\d\d[^\n>]*>/g) ?? []
  return stamps.some((stamp, index) => index > 0 && !/[ \t]\+|[ \t][.+]\+/.test(stamp))
}

const cases = fc
  .tuple(
    fc.constantFrom(...keywordLines),
    fc.constantFrom(...startups),
    fc.oneof(fc.constant({ above: [], below: [] }), fc.constantFrom(...inherited)),
    fc.constantFrom('', '', 'setup.org'),
  )
  .chain(([{ lines, words }, startup, { above, below }, setup]) => {
    const option = startup === '' ? [] : [`#+STARTUP: hidestars ${startup}`]
    const declared = [...lines, ...option, ...below]
    const files = { [setup || 'other.org']: declared.join('\n') }
    const settings = [...above, ...(setup === '' ? declared : [`#+setupfile: ${setup}`])]
    const body = fc.tuple(entryLines(dates, properties), more).map((parts) => parts.flat())
    const file = fileCase(fc.constant(settings), headLine(words), body)
    const target = fc.constantFrom(...words, ...words, ...steps, ...prefixes)
    return fc.tuple(file, fc.constant(files), target, fc.boolean())
  })
  .map(([one, files, wanted, noted]): EditCase => {
    const note = noted ? 'Why?\nSo.' : ''
    const target = wanted === '-1' && hangsEmacs(one.text) ? '0' : wanted
    const { argument, step, more } = asked(target)
    const readFile = (path: string) => files[path] ?? null
    const request = { now: caseTime, note, readFile, ...more }
    return {
      ...one,
      files,
      since: target === '-1' ? '9.8' : one.since,
      command: `(progn (setq test-note ${JSON.stringify(note)}) (org-todo ${argument}))`,
      edit: (...at) =>
        step === null ? setTodo(...at, target, request) : cycleTodo(...at, step, request),
    }
  })

test.skipIf(!hasEmacs)('keywords are set as Emacs does it', () => {
  const sample = fc.sample(cases, { seed: 41, numRuns: 400 })
  expect(differences(sample).wrong).toEqual([])
})
