import { expect, test } from 'vitest'
import { dayNumber, dayText } from '../../src/base/day.ts'
import { factsOf } from '../../src/memory/facts.ts'
import { ObjectStore } from '../../src/memory/store.ts'
import { agenda, diaryNotes } from '../../src/search/agenda.ts'

const today = dayNumber('2026-11-21')

function facts(text: string) {
  const store = new ObjectStore()
  store.ingestFile('inbox.org', text)
  return [...store.objects()].map(factsOf)
}

function lines(text: string, from = '2026-11-21', to = from, options = {}): string[] {
  const days = agenda(facts(text), dayNumber(from), dayNumber(to), { today, ...options })
  return days.flatMap(({ day, items }) =>
    items.map(({ time, end, leader, note }) => {
      const hours = time === null ? '' : `${time}${end === null ? '' : `-${end}`} `
      return `${dayText(day).slice(8)} ${hours}${leader}${note.title}`
    }),
  )
}

const everything = `* TODO Water
SCHEDULED: <2026-11-14 Sat +1d>
* TODO [#A] Pay
DEADLINE: <2026-11-30 Mon>
* TODO Far
DEADLINE: <2026-12-14 Mon -5d>
* DONE Old
SCHEDULED: <2026-11-21 Sat>
* DONE Older
DEADLINE: <2026-11-20 Fri>
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
* Put away :ARCHIVE:
** TODO Hidden
SCHEDULED: <2026-11-21 Sat>
* TODO Delayed
SCHEDULED: <2026-11-20 Fri -2d>
* Choir
<2026-11-09 Mon 19:00 +1w>
* TODO Dentist at 3pm
DEADLINE: <2026-11-21 Sat>
* TODO Late
DEADLINE: <2026-11-18 Wed 10:00>
`

test('each kind of date stands on its days', () => {
  expect(lines(everything, '2026-11-21', '2026-11-23')).toEqual([
    '21 15:00 Deadline:  Dentist at 3pm',
    '21 In   9 d.: Pay',
    '21 Sched. 7x: Water',
    '21 Scheduled: Old',
    '21  3 d. ago: Late',
    '21 (2/3): Fair',
    '22 12:00 (3/3): Fair',
    '22 12:30-13:30 Lunch',
    '22 Scheduled: Water',
    '23 19:00 Choir',
    '23 Scheduled: Water',
  ])
  expect(lines(everything, '2026-11-21', '2026-11-21', { done: false })).not.toContain(
    '21 Scheduled: Old',
  )
  expect(lines(everything, '2026-11-21', '2026-11-21', { warningDays: 3 })).not.toContain(
    '21 In   9 d.: Pay',
  )
})

test('habits, and what only Emacs can compute', () => {
  const habit = `* TODO Run
SCHEDULED: <2026-11-19 Thu 07:00 .+1d/3d>
:PROPERTIES:
:STYLE: habit
:END:
* TODO Other
SCHEDULED: <2026-11-21 Sat>
* Birthday
<%%(diary-anniversary 10 31 1948)>
`
  expect(lines(habit, '2026-11-20', '2026-11-22')).toEqual(['21 Scheduled: Other', '21 07:00 Run'])
  expect(lines(habit, '2026-11-22', '2026-11-22', { habits: false })).toEqual([
    '22 07:00 Scheduled: Run',
  ])
  expect(diaryNotes(facts(habit)).map(({ title }) => title)).toEqual(['Birthday'])
})
