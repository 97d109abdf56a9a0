import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { agendaSheet, plannedIn } from '../../src/notes/agenda-page.ts'
import { makePage } from '../../src/pages/pages.ts'

const text = `* TODO One
DEADLINE: <2026-12-01 Tue 9:00 +1w> SCHEDULED: <2026-11-21 Sat>
* DONE Two
SCHEDULED: <2026-11-21 Sat>
* Three <2026-12-01 Tue 8:00>
[2026-12-03 Thu]
** NEXT /Four/
<2026-12-24 Thu>--<2026-12-26 Sat>
* TODO Five
* TODO Six :noexport:
SCHEDULED: <2026-11-21 Sat>
`
const pages = [makePage('/n', '/n/b/a.org', `#+todo: TODO NEXT | DONE\n#+title: A\n${text}`)]

test('what is planned, in the order of time', () => {
  const planned = plannedIn(pages)
  expect(planned.map(({ title, kind, date }) => `${date?.rawValue} ${kind} ${title}`)).toEqual([
    '<2026-11-21 Sat> Scheduled One',
    '<2026-12-01 Tue 8:00>  Three',
    '<2026-12-01 Tue 9:00 +1w> Deadline One',
    '<2026-12-24 Thu>--<2026-12-26 Sat>  Four',
    'undefined  Five',
  ])
  const sheet = agendaSheet(planned, 'agenda.html')
  expect(sheet.sections.map(({ title }) => title)).toEqual([
    ...['November 2026', 'December 2026', 'Without a date'],
  ])
  const html = toHtml(sheet.content)
  expect(html).toContain(
    '<time>&#x3C;2026-12-01 Tue 9:00 +1w></time> Deadline: <span class="todo">TODO</span> ' +
      '<a href="b/a.html#one">One</a> <small>A</small>',
  )
})
