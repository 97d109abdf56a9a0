import { dayNumber, dayText, localDay, ObjectStore } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { agendaEntries, agendaText } from '../../src/notes/agenda.ts'

const now = new Date(2026, 10, 21, 9, 30)

function memex(text: string, path = 'inbox.org') {
  const store = new ObjectStore()
  store.ingestFile(path, text)
  return [...store.objects()]
}

const everything = `* TODO Water
SCHEDULED: <2026-11-14 Sat +1d>
* TODO Pay
DEADLINE: <2026-11-30 Mon>
* TODO Far
DEADLINE: <2026-12-14 Mon -5d>
* DONE Old
SCHEDULED: <2026-11-21 Sat>
* Lunch
<2026-11-22 Sun 12:30-13:30>
#+begin_example
<2026-11-22 Sun>
#+end_example
* Fair
<2026-11-20 Fri 18:00>--<2026-11-22 Sun 12:00>
* COMMENT Not yet
** TODO Hidden
SCHEDULED: <2026-11-21 Sat>
* TODO Delayed
SCHEDULED: <2026-11-20 Fri -2d>
* Choir
<2026-11-09 Mon 19:00 +1w>
`

test('each kind of date stands on its days', () => {
  const entries = agendaEntries(memex(everything), { from: '2026-11-21', to: '2026-11-23' }, now)
  const lines = entries.map(
    ({ day, kind, time, task }) => `${day.slice(8)} ${kind} ${time} ${task.title}`,
  )
  expect(lines).toEqual([
    '21 deadline null Pay',
    '21 scheduled null Water',
    '21 block null Fair',
    '22 block 12:00 Fair',
    '22 event 12:30 Lunch',
    '22 scheduled null Water',
    '23 event 19:00 Choir',
    '23 scheduled null Water',
  ])
})

test('the agenda has a section for each day, one for what is late, and one for what comes', () => {
  const notes = memex(`* TODO Buy oat milk
SCHEDULED: <2026-11-22 Sun>
* TODO See the dentist
DEADLINE: <2026-11-22 Sun 09:00>
* TODO Pay the fine
SCHEDULED: <2026-11-10 Tue> DEADLINE: <2026-11-18 Wed>
* TODO Book the train
DEADLINE: <2026-11-28 Sat>
* TODO A secret :private:
DEADLINE: <2026-11-22 Sun>
`)
  const text = agendaText(notes, { from: '2026-11-21', to: '2026-11-23' }, now)
  expect(text.split('\n')).toEqual([
    'Overdue',
    '  Wed 18 Nov  deadline  Pay the fine  inbox.org:5',
    '',
    'Tomorrow, Sun 22 Nov',
    '  09:00  deadline   See the dentist  inbox.org:3',
    '         scheduled  Buy oat milk     inbox.org:1',
    '',
    'Deadlines ahead',
    '  Sat 28 Nov  in 7 days  Book the train  inbox.org:7',
  ])
})

test('an empty span says so', () => {
  expect(agendaText([], { from: '2026-11-21', to: '2026-11-21' }, now)).toBe(
    'Nothing is dated today.',
  )
  const span = { from: '2026-11-27', to: '2026-11-28' }
  expect(agendaText([], span, now)).toBe('Nothing is dated from Fri 27 Nov to Sat 28 Nov.')
})

const notesAt = (day: string) => {
  const before = (days: number) => dayText(dayNumber(day) - days)
  return memex(`* TODO Daily
SCHEDULED: <${before(40)} 02:30 +1d>
* TODO Weekly
DEADLINE: <${before(14)} 02:30 +1w -0d>
* Walk
<${day} 01:00-03:30>
* Monthly
<${before(0)} 00:00 +1m>
`)
}

const changes = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01']
const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']

test.each(zones)('the agenda around the changes of the clock in %s', (zone) => {
  const { TZ } = process.env
  onTestFinished(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })
  process.env.TZ = zone
  for (const day of changes) {
    const notes = notesAt(day)
    const [eve, , after] = [-1, 0, 1].map((days) => dayText(dayNumber(day) + days))
    const seen = new Set<string>()
    const end = new Date(`${after}T00:00`).getTime()
    for (let at = new Date(`${day}T00:00`).getTime(); at < end; at += 1_800_000) {
      const entries = agendaEntries(notes, { from: eve!, to: after! }, new Date(at))
      seen.add(entries.map((entry) => `${entry.day} ${entry.time} ${entry.task.title}`).join('\n'))
      expect(dayText(localDay(new Date(at)))).toBe(day)
    }
    expect([zone, day, seen.size]).toEqual([zone, day, 1])
    const lines = [...seen][0]!.split('\n')
    const daysOf = (title: string) =>
      lines.filter((line) => line.endsWith(title)).map((line) => line.slice(0, 10))
    expect(daysOf('Daily')).toEqual([day, after])
    expect([daysOf('Weekly'), daysOf('Walk'), daysOf('Monthly')]).toEqual([[day], [day], [day]])
  }
})
