import {
  type AgendaItem,
  agenda,
  dayNumber,
  dayText,
  factsOf,
  type MemoryObject,
  type NoteFacts,
} from '@passepartout/core'
import type { Span } from '../common/date-grammar.ts'
import { addDays, dateWords, dayOf, daysBetween, dayWords } from '../common/dates.ts'
import { aligned, placeOf, titleWords } from '../common/note-text.ts'

/** One note on one day of the agenda. */
interface AgendaEntry {
  task: MemoryObject
  day: string
  /** `HH:MM`, or null when the entry has no hour on this day. */
  time: string | null
  end: string | null
  kind: 'deadline' | 'scheduled' | 'event' | 'block'
  /** The day in the timestamp; of a block, its first. */
  base: string
  /** For a block, its last day. */
  last: string | null
}

const kinds: Record<AgendaItem['kind'], AgendaEntry['kind']> = {
  'upcoming-deadline': 'deadline',
  'past-scheduled': 'scheduled',
  deadline: 'deadline',
  scheduled: 'scheduled',
  block: 'block',
  timestamp: 'event',
}
const kindOrder = ['deadline', 'scheduled', 'block', 'event']

/** What is on a day, as a function of the day, in the order in which it is read. */
function agendaOn(objects: Iterable<MemoryObject>, now: Date): (day: string) => AgendaEntry[] {
  const today = dayNumber(dayOf(now))
  const tasks = new Map<NoteFacts, MemoryObject>()
  for (const object of objects) {
    if (!object.private) tasks.set(factsOf(object), object)
  }
  const byId = new Map([...tasks.keys()].map((note) => [note.id, note]))
  const dated = [...tasks.keys()].filter(({ dates }) => dates.length > 0)
  const settings = { today, done: false, above: (id: string) => byId.get(id) ?? null }
  const key = ({ time, kind }: AgendaEntry) => `${time ?? '99'}${kindOrder.indexOf(kind)}`
  return (day) => {
    const at = dayNumber(day)
    const items = agenda(dated, at, at, settings).flatMap((found) => found.items)
    const entries = items.map((item) => entryOf(item, tasks.get(item.note)!))
    return entries.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
  }
}

function entryOf(item: AgendaItem, task: MemoryObject): AgendaEntry {
  const { time, end, kind, base, last } = item
  return {
    task,
    time,
    end,
    day: dayText(item.day),
    kind: kinds[kind],
    base: dayText(base),
    last: kind === 'block' ? dayText(last) : null,
  }
}

/** The entries from one day to another, in the order in which they are read. */
export function agendaEntries(
  objects: Iterable<MemoryObject>,
  span: Span,
  now: Date,
): AgendaEntry[] {
  const on = agendaOn(objects, now)
  const entries: AgendaEntry[] = []
  for (let day = span.from; day <= span.to; day = addDays(day, 1)) entries.push(...on(day))
  return entries
}

const daysMax = 366

/** The agenda of a span, as text for a terminal; whole, or deadlines or late entries alone. */
export function agendaText(
  objects: Iterable<MemoryObject>,
  given: Span,
  now: Date,
  only: 'all' | 'deadline' | 'late' = 'all',
): string {
  const today = dayOf(now)
  const end = addDays(given.from, daysMax)
  const span = given.to > end ? { from: given.from, to: end } : given
  const whole = agendaOn(objects, now)
  const on = (day: string) =>
    only === 'deadline' ? whole(day).filter(({ kind }) => kind === 'deadline') : whole(day)
  const isThere = span.from <= today && today <= span.to
  const { late, ahead, plain } = partsOfToday(isThere ? on(today) : [], today)
  const sections = [lateSection(late, today)]
  if (only === 'late') return sections[0] || 'Nothing is overdue.'
  let lines = late.length
  for (let day = span.from; day <= span.to; day = addDays(day, 1)) {
    const entries = day === today ? plain : on(day)
    if (lines > linesMax && entries.length > 0) return tooLong(sections, day, today)
    lines += entries.length
    sections.push(daySection(day, entries, today))
  }
  sections.push(
    aheadSection(
      ahead.filter(({ base }) => base > span.to),
      today,
    ),
  )
  const shown = sections.filter((section) => section !== '')
  const verb = only === 'deadline' ? 'due' : 'dated'
  return shown.join('\n\n') || `Nothing is ${verb} ${spanWords(span, today)}.`
}

/** What is late, what is announced, and what is today's. */
function partsOfToday(entries: readonly AgendaEntry[], today: string) {
  const isTask = ({ kind, time }: AgendaEntry) => /^(?:dead|sched)/.test(kind) && time === null
  const late = entries.filter((entry) => isTask(entry) && entry.base < today)
  const ahead = entries.filter((entry) => isTask(entry) && entry.base > today)
  const due = new Set(late.filter(({ kind }) => kind === 'deadline').map(({ task }) => task))
  const once = late.filter(({ kind, task }) => kind === 'deadline' || !due.has(task))
  once.sort((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0))
  const plain = entries.filter((entry) => !isTask(entry) || entry.base === today)
  return { late: once, ahead, plain }
}

function daySection(day: string, entries: AgendaEntry[], today: string): string {
  if (entries.length === 0) return ''
  const rows = entries.map((entry) => {
    const { time, end, kind, last, base, task } = entry
    const hours = time === null ? '' : end === null ? time : `${time}-${end}`
    const number = daysBetween(base, day) + 1
    const word = kind === 'block' ? `day ${number}/${daysBetween(base, last!) + 1}` : kind
    return [hours, word, titleWords(task), placeOf(task)]
  })
  const bare = rows.every(([hours]) => hours === '')
  return `${dayHeading(day, today)}\n${aligned(bare ? rows.map((row) => row.slice(1)) : rows)}`
}

function dayHeading(day: string, today: string): string {
  const words = dayWords(day, today)
  if (!/day$|tomorrow/.test(words)) return words
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}, ${dateWords(day)}`
}

function lateSection(entries: AgendaEntry[], today: string): string {
  if (entries.length === 0) return ''
  const rows = entries.map(({ base, kind, task }) => [
    dayWords(base, today),
    kind,
    titleWords(task),
    placeOf(task),
  ])
  return `Overdue\n${aligned(rows)}`
}

function aheadSection(entries: AgendaEntry[], today: string): string {
  if (entries.length === 0) return ''
  entries.sort((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0))
  const rows = entries.map(({ base, task }) => [
    dayWords(base, today),
    inDays(daysBetween(today, base)),
    titleWords(task),
    placeOf(task),
  ])
  return `Deadlines ahead\n${aligned(rows)}`
}

function inDays(count: number): string {
  return count === 1 ? 'in 1 day' : `in ${count} days`
}

const linesMax = 80

function tooLong(sections: readonly string[], day: string, today: string): string {
  const lines = sections
    .filter((section) => section !== '')
    .join('\n\n')
    .split('\n')
  const shown = lines
    .slice(0, 2 * linesMax)
    .join('\n')
    .trimEnd()
  return `${shown}\n\nThere is more from ${dayWords(day, today)} on.`
}

/** A span in words: `today`, `on Fri 27 Nov`, `from Sat 21 Nov to Fri 27 Nov`. */
export function spanWords({ from, to }: Span, today: string): string {
  const said = (day: string) => dayWords(day, today)
  if (from !== to) return `from ${said(from)} to ${said(to)}`
  return /^(?:to|yester)/.test(said(from)) ? said(from) : `on ${said(from)}`
}
