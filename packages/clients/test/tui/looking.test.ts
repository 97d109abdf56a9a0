import { expect, test } from 'vitest'
import { agendaEntries, hitEntries, lookArguments, sessionEntries } from '../../src/tui/looking.ts'
import { plainText } from '../../src/tui/text.ts'

const note = {
  file: 'garden.org',
  line: 2,
  title: 'Sow \x1b[2Jbeans',
  todo: 'TODO',
  done: false,
  tags: ['spring'],
  path: ['Garden'],
}
const lines = (entries: ReturnType<typeof hitEntries>) =>
  entries.map(({ line, place }) => [plainText(line), place])

test('a session is a row with its id behind it', () => {
  const today = new Date(2026, 10, 23, 9)
  const at = (hour: number, day: number) => new Date(2026, 10, day, hour, 5).getTime()
  const sessions = [
    { id: 'a', title: 'Be\u001bans', source: 'tui', used: at(8, 23) },
    { id: 'b', title: '', source: '', used: at(8, 20) },
  ]
  expect(lines(sessionEntries({ sessions }, today))).toEqual([
    [expect.stringMatching(/^Be.?ans {2}08:05, tui$/), 'a'],
    ['(nothing was said)  2026-11-20', 'b'],
  ])
  expect(sessionEntries('x', today)).toEqual([])
  expect(lookArguments({ kind: 'sessions' }, '/m')[0]).toBe('sessions')
})

test('hits and days are rows with places', () => {
  expect(lines(hitEntries([note, null, 7]))).toEqual([
    ['TODO Sow ␛[2Jbeans  :spring:  garden.org:2  Garden', 'garden.org:2'],
    ['  :1', ':1'],
    ['  :1', ':1'],
  ])
  const item = { day: '2026-11-21', time: '19:00', end: '20:30', leader: '', note }
  const entries = agendaEntries(
    [item, { ...item, day: '2026-11-22', time: null, end: null, leader: 'Sched.' }],
    new Date(2026, 10, 21),
  )
  expect(lines(entries)).toEqual([
    ['Today, Saturday 21 November', null],
    [expect.stringMatching(/^19:00–20:30 {14}TODO Sow ␛/), 'garden.org:2'],
    ['', null],
    ['Sunday 22 November', null],
    [expect.stringMatching(/^ {12}Sched\. {7}TODO Sow/), 'garden.org:2'],
  ])
  expect(lookArguments({ kind: 'search', query: '-rm x' }, '/m')).toEqual([
    'search',
    '--json',
    '--memex',
    '/m',
    '--',
    '-rm',
    'x',
  ])
})
