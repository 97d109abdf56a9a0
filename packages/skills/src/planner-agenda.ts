import type { MemoryObject } from '@passepartout/core'
import { parse, readTimestamp, type Timestamp, walk } from 'org-ast'
import { addDays, dateWords, dayOf, daysBetween, dayWords, readOrgStamp } from './dates.ts'
import { aligned, placeOf, titleWords } from './note-text.ts'
import type { Span } from './planner-dates.ts'

/** One note on one day of the agenda. */
export interface AgendaEntry {
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

interface Day {
  day: string
  /** Days since 1970. */
  number: number
  /** Months since the year 0. */
  month: number
  date: number
}

function dayParts(day: string): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return {
    day,
    number: Date.UTC(year, month - 1, date) / 86_400_000,
    month: 12 * year + month - 1,
    date,
  }
}

/** Whether a repetition of this timestamp, other than its own day, falls on a day. */
export function repetitionsOf(stamp: string): (day: Day) => boolean {
  const [, digits = '0', unit = 'd'] = /\+(\d+)([hdwmy])/.exec(stamp) ?? []
  const value = Number(digits)
  if (value === 0) return () => false
  const base = dayParts(stamp.slice(1, 11))
  const gone = ({ number }: Day) => number - base.number
  if (unit === 'h') {
    const hour = Number(/ (\d{1,2}):\d\d/.exec(stamp)?.[1] ?? 0)
    const missing = (day: Day) => (24 * gone(day) - hour) % value
    return (day) => gone(day) > 0 && (missing(day) === 0 || value - missing(day) < 24)
  }
  if (unit === 'd' || unit === 'w') {
    const days = unit === 'w' ? 7 * value : value
    return (day) => gone(day) > 0 && gone(day) % days === 0
  }
  return (day) => gone(day) > 0 && isMonthly(base, day, unit === 'y' ? 12 * value : value)
}

function isMonthly(base: Day, day: Day, months: number): boolean {
  const whole = day.month - base.month - (day.date > base.date ? 0 : 1)
  const complete = Math.floor(whole / months) * months
  const at = (count: number) => Date.UTC(2000, base.month - 24_000 + count, base.date) / 86_400_000
  return at(complete) === day.number || at(complete + months) === day.number
}

function* candidates(objects: Iterable<MemoryObject>): Generator<MemoryObject> {
  const commented = new Set<string>()
  for (const object of objects) {
    if (object.type !== 'headline') continue
    if (object.commented || commented.has(object.parent ?? '')) {
      commented.add(object.id)
    } else if (!object.private && !object.done && !object.tags.includes('ARCHIVE')) yield object
  }
}

function timestampsIn(object: MemoryObject): Timestamp[] {
  const text = object.content.replace(/^[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):.*/, '')
  if (!/<\d{4}-\d\d-\d\d/.test(object.title + text)) return []
  const found: Timestamp[] = []
  walk(parse(`* ${object.title}\n${object.content}`), (node) => {
    if (node.type === 'timestamp' && /^active/.test(node.timestampType)) found.push(node)
    if (node.type !== 'node-property') return
    for (const [stamp] of node.value.matchAll(/<\d{4}-\d\d-\d\d[^>\n]*>(?:--<[^>\n]*>)?/g)) {
      const read = readTimestamp(stamp)
      if (read !== null) found.push(read)
    }
  })
  return found
}

type OnDay = (day: Day) => AgendaEntry | null

/** Days of a warning or a delay, by Emacs's table; null when the stamp has none. */
function leadDays(stamp: string): number | null {
  const match = /-(\d+)([hdwmy])(?=>| |$)/.exec(stamp)
  if (match === null) return null
  const unit = { h: 0.041667, d: 1, w: 7, m: 30.4, y: 365.25 }[match[2] as 'd']
  return Math.floor(Number(match[1]) * unit)
}

function deadlineOn(task: MemoryObject, today: string): OnDay {
  const stamp = task.deadline ?? ''
  const when = readOrgStamp(stamp)
  if (when === null || !stamp.startsWith('<')) return () => null
  const isNear = daysBetween(today, when.day) <= (leadDays(stamp) ?? 14)
  const repeats = repetitionsOf(stamp)
  return (at) => {
    const { day } = at
    const isItsDay = day === when.day || (day > today && repeats(at))
    if (!isItsDay && !(day === today && isNear)) return null
    const [time, end] = isItsDay ? [when.time, when.end] : [null, null]
    return { task, day, time, end, kind: 'deadline', base: when.day, last: null }
  }
}

function scheduledOn(task: MemoryObject, today: string): OnDay {
  const stamp = task.scheduled ?? ''
  const when = readOrgStamp(stamp)
  if (when === null || !stamp.startsWith('<')) return () => null
  const delay = leadDays(stamp) ?? 0
  const repeats = repetitionsOf(stamp)
  return (at) => {
    const { day } = at
    const isItsDay = day === when.day || (day > today && repeats(at))
    if (when.day > day || (!isItsDay && day !== today)) return null
    if (delay > 0 && daysBetween(when.day, day) < delay) return null
    const [time, end] = isItsDay ? [when.time, when.end] : [null, null]
    return { task, day, time, end, kind: 'scheduled', base: when.day, last: null }
  }
}

function eventOn(task: MemoryObject, stamp: Timestamp): OnDay {
  const when = readOrgStamp(stamp.rawValue)
  if (when === null) return () => null
  if (stamp.rangeType === 'daterange') return blockOn(task, stamp)
  const isRepeated = /\+\d+[hdwmy]>$/.test(stamp.rawValue)
  const repeats = isRepeated ? repetitionsOf(stamp.rawValue) : () => false
  const { day: base, time, end } = when
  return (at) => {
    if (at.day !== base && !repeats(at)) return null
    return { task, day: at.day, time, end, kind: 'event', base, last: null }
  }
}

function blockOn(task: MemoryObject, stamp: Timestamp): OnDay {
  const [first, second] = stamp.rawValue.split(/(?<=>)--?-?/).map((part) => readOrgStamp(part))
  if (first == null || second == null) return () => null
  return ({ day }) => {
    if (day < first.day || day > second.day) return null
    const isFirst = day === first.day
    const time = isFirst ? first.time : day === second.day ? second.time : null
    const end = isFirst && first.day === second.day ? second.time : null
    return { task, day, time, end, kind: 'block', base: first.day, last: second.day }
  }
}

const kindOrder = ['deadline', 'scheduled', 'block', 'event']

/** What is on a day, as a function of the day, in the order in which it is read. */
function agendaOn(objects: Iterable<MemoryObject>, now: Date): (day: string) => AgendaEntry[] {
  const today = dayOf(now)
  const dates: OnDay[] = []
  for (const task of candidates(objects)) {
    if (task.deadline !== null) dates.push(deadlineOn(task, today))
    if (task.scheduled !== null) dates.push(scheduledOn(task, today))
    for (const stamp of timestampsIn(task)) dates.push(eventOn(task, stamp))
  }
  const key = ({ time, kind }: AgendaEntry) => `${time ?? '99'}${kindOrder.indexOf(kind)}`
  return (day) => {
    const parts = dayParts(day)
    const found = dates.flatMap((on) => on(parts) ?? [])
    return found.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
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
