import { h } from 'hastscript'
import { type Headline, plainText, planning, type Timestamp, walk } from 'org-ast'
import { plainSheet } from '../pages/extras.ts'
import type { Sheet } from '../pages/layout.ts'
import type { Page } from '../pages/pages.ts'
import { monthName } from './journal.ts'

/** One headline on one day, or on none. */
interface Planned {
  page: Page
  /** The address of the headline. */
  url: string
  title: string
  keyword: string | null
  /** `Deadline`, `Scheduled`, or empty for a date in the text. */
  kind: string
  date: Timestamp | null
}

/** Everything in these pages that is planned and not done, in the order of time. */
export function plannedIn(pages: readonly Page[]): Planned[] {
  const found: Planned[] = []
  for (const page of pages) {
    for (const [headline, slug] of page.slugs) {
      if (headline.todoType === 'done') continue
      const { todoKeyword: keyword } = headline
      const title = plainText(headline.title.filter(({ type }) => type !== 'timestamp')).trim()
      const place = { page, url: `${page.url}#${slug}`, title, keyword }
      const dates = datesOf(headline)
      for (const [kind, date] of dates) found.push({ ...place, kind, date })
      if (dates.length === 0 && keyword !== null) found.push({ ...place, kind: '', date: null })
    }
  }
  const key = ({ date }: Planned) => (date === null ? '~' : `${dayOf(date)} ${hourOf(date) || '~'}`)
  return found.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

function datesOf(headline: Headline): [string, Timestamp][] {
  const { deadline = null, scheduled = null } = planning(headline) ?? {}
  const found: [string, Timestamp][] = []
  if (scheduled !== null) found.push(['Scheduled', scheduled])
  if (deadline !== null) found.push(['Deadline', deadline])
  const section = headline.children.find(({ type }) => type === 'section')
  for (const part of [...headline.title, ...(section === undefined ? [] : [section])]) {
    walk(part, (node) => {
      if (node.type === 'timestamp' && node.timestampType.startsWith('active'))
        found.push(['', node])
      return node.type !== 'planning' && node.type !== 'property-drawer' && node.type !== 'drawer'
    })
  }
  return found.filter(([, { start }]) => start !== null)
}

const two = (number: number) => String(number).padStart(2, '0')

function dayOf({ start }: Timestamp): string {
  return start === null
    ? ''
    : `${String(start.year).padStart(4, '0')}-${two(start.month)}-${two(start.day)}`
}

function hourOf({ start }: Timestamp): string {
  return start === null || start.hour === null ? '' : `${two(start.hour)}:${two(start.minute ?? 0)}`
}

/** The page of what is planned. */
export function agendaSheet(planned: readonly Planned[], url: string): Sheet {
  const dated = planned.filter(({ date }) => date !== null)
  const months = Map.groupBy(dated, ({ date }) => dayOf(date!).slice(0, 7))
  const groups = [...months].map(([month, entries]) => ({
    level: 1,
    id: `month-${month}`,
    title: monthName(month),
    entries: entries as readonly Planned[],
  }))
  const rest = planned.filter(({ date }) => date === null)
  if (rest.length > 0)
    groups.push({ level: 1, id: 'without-a-date', title: 'Without a date', entries: rest })
  const parts = groups.flatMap(({ id, title, entries }) => [
    h('h2', { id }, title),
    h('ul', { className: 'agenda' }, entries.map(line)),
  ])
  const content = h('div', { className: 'content' }, parts)
  const sections = groups.map(({ level, id, title }) => ({ level, id, title }))
  return { ...plainSheet({ url, kind: 'index', title: 'Agenda', content }), sections }
}

function line({ date, kind, keyword, page, title, url }: Planned) {
  const when = date === null ? [] : [h('time', date.rawValue), kind === '' ? ' ' : ` ${kind}: `]
  const state = keyword === null ? [] : [h('span', { className: 'todo' }, keyword), ' ']
  return h('li', [
    ...when,
    ...state,
    h('a', { href: url }, title || page.title),
    ' ',
    h('small', page.title),
  ])
}
