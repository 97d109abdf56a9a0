import { ObjectStore } from '@passepartout/core'
import { expect, test } from 'vitest'
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
