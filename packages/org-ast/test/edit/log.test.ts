import { expect, test } from 'vitest'
import { entryDraft } from '../../src/edit/edit.ts'
import { type LogPlace, logEntry, logPlace, writeLog } from '../../src/edit/log.ts'
import { editSettings } from '../../src/edit/settings.ts'
import { parse } from '../../src/parse/parse.ts'
import { headlines } from '../../src/tree/query.ts'

const now = new Date(2026, 10, 21, 9, 5)

const open: LogPlace = { drawer: null, newestFirst: true }
const entry = '- State "DONE"       from "TODO"       [2026-11-21 Sat 09:05]'
const older = '- State "TODO"       from              [2026-11-20 Fri 09:05]'
const book = (...lines: string[]) => `:LOGBOOK:\n${lines.join('\n')}\n:END:\n`
test.each([
  ['* x\n', open, `* x\n${entry}\n`],
  ['* x', open, `* x\n${entry}`],
  ['* x\n\nText\n', open, `* x\n\n${entry}\nText\n`],
  ['* x\n  DEADLINE: <2026-11-22>\n', open, `* x\n  DEADLINE: <2026-11-22>\n  ${entry}\n`],
  [`* x\n${older}\nText\n`, open, `* x\n${entry}\n${older}\nText\n`],
  [
    `* x\n  ${older}\n  - y\n`,
    { drawer: null, newestFirst: false },
    `* x\n  ${older}\n  ${entry}\n  - y\n`,
  ],
  ['* x\n\nText\n', { drawer: null, newestFirst: false }, `* x\n${entry}\nText\n`],
  ['* x\nText\n', { drawer: 'LOGBOOK', newestFirst: true }, `* x\n${book(entry)}Text\n`],
  ['* x', { drawer: 'LOGBOOK', newestFirst: true }, `* x\n${book(entry)}`.trimEnd()],
  [
    `* x\nText\n${book(older)}`,
    { drawer: 'logbook', newestFirst: true },
    `* x\nText\n${book(entry, older)}`,
  ],
  [`* x\n${book(older)}`, { drawer: 'LOGBOOK', newestFirst: false }, `* x\n${book(older, entry)}`],
])('%j in %o', (text, place, expected) => {
  const draft = entryDraft(text, [...headlines(parse(text))][0]!)
  writeLog(draft, place, logEntry('state', now, { state: 'DONE', before: 'TODO' }))
  expect(draft.text).toBe(expected)
})

test('a property decides on the drawer', () => {
  const drawer = (value: string) => `:PROPERTIES:\n:LOG_INTO_DRAWER: ${value}\n:END:\n`
  const text = `* a\n** b\n${drawer('nil')}** c\n${drawer('Log')}*** d\n`
  const tree = parse(text)
  const settings = editSettings(text, tree, 'logdrawer nologstatesreversed')
  const places = [...headlines(tree)].map((at) => logPlace(tree, at, settings))
  expect(places.map((place) => place.drawer)).toEqual(['LOGBOOK', null, 'Log', 'Log'])
  expect(places[0]!.newestFirst).toBe(false)
})

test('a note has its text below', () => {
  const note = logEntry('delschedule', now, { before: '<2026-11-22 Sun>', note: 'Why\n\nnot?\n' })
  expect(note).toEqual([
    'Not scheduled, was "[2026-11-22 Sun]" on [2026-11-21 Sat 09:05] \\\\',
    'Why',
    '',
    'not?',
  ])
})
