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

/** The day of the repetition at or `past`, or at or `future`, of a day; the base when it is later. */
export function closestRepeat(stamp: string, day: string, prefer: 'past' | 'future'): string {
  const base = stamp.slice(1, 11)
  const [, digits = '0', unit = 'd'] = /\+(\d+)([hdwmy])/.exec(stamp) ?? []
  const value = Number(digits)
  if (value === 0 || day <= base) return base
  const [before, after] = neighbours(stamp, day, value, unit)
  return prefer === 'past' ? (day === after ? after : before) : day === before ? before : after
}

function neighbours(stamp: string, day: string, value: number, unit: string): [string, string] {
  const base = stamp.slice(1, 11)
  const gone = daysBetween(base, day)
  if (unit === 'h') {
    const hour = Number(/ (\d{1,2}):\d\d/.exec(stamp)?.[1] ?? 0)
    const missing = (24 * gone - hour) % value
    const before = missing === 0 ? day : addDays(day, -1 - Math.floor(missing / 24))
    return [before, addDays(day, Math.floor((value - missing) / 24))]
  }
  if (unit === 'd' || unit === 'w') {
    const days = unit === 'w' ? 7 * value : value
    const before = addDays(base, days * Math.floor(gone / days))
    return [before, addDays(before, days)]
  }
  return monthNeighbours(base, day, unit === 'y' ? 12 * value : value)
}

function monthNeighbours(base: string, day: string, months: number): [string, string] {
  const [year, month, date] = base.split('-').map(Number) as [number, number, number]
  const [toYear, toMonth, toDate] = day.split('-').map(Number) as [number, number, number]
  const over = toDate > date ? 0 : -1
  const complete = Math.floor((12 * (toYear - year) + toMonth - month + over) / months) * months
  const at = (count: number) =>
    new Date(Date.UTC(year, month - 1 + count, date)).toISOString().slice(0, 10)
  return [at(complete), at(complete + months)]
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
  if (!/<\d{4}-\d\d-\d\d/.test(object.title + object.content)) return []
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

type OnDay = (day: string) => AgendaEntry | null

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
  const warning = leadDays(stamp) ?? 14
  return (day) => {
    const repeat = day <= today ? when.day : closestRepeat(stamp, day, 'future')
    const isItsDay = day === when.day || day === repeat
    const isNear = when.day <= today || daysBetween(today, when.day) <= warning
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
  return (day) => {
    const repeat = day <= today ? when.day : closestRepeat(stamp, day, 'future')
    const isItsDay = day === when.day || day === repeat
    if (when.day > day || (!isItsDay && day !== today)) return null
    if (delay > 0 && daysBetween(when.day, day) < delay) return null
    const [time, end] = isItsDay ? [when.time, when.end] : [null, null]
    return { task, day, time, end, kind: 'scheduled', base: when.day, last: null }
  }
}

function eventOn(task: MemoryObject, stamp: Timestamp, today: string): OnDay {
  const when = readOrgStamp(stamp.rawValue)
  if (when === null) return () => null
  if (stamp.rangeType === 'daterange') return blockOn(task, stamp)
  const repeats = /\+\d+[hdwmy]>$/.test(stamp.rawValue)
  return (day) => {
    const past = repeats
      ? closestRepeat(stamp.rawValue, day > today ? today : day, 'past')
      : when.day
    const future = repeats && day > today ? closestRepeat(stamp.rawValue, day, 'future') : past
    if (day !== when.day && day !== past && day !== future) return null
    return { task, day, time: when.time, end: when.end, kind: 'event', base: when.day, last: null }
  }
}

function blockOn(task: MemoryObject, stamp: Timestamp): OnDay {
  const [first, second] = stamp.rawValue.split(/(?<=>)--?-?/).map((part) => readOrgStamp(part))
  if (first == null || second == null) return () => null
  return (day) => {
    if (day < first.day || day > second.day) return null
    const isFirst = day === first.day
    const time = isFirst ? first.time : day === second.day ? second.time : null
    const end = isFirst && first.day === second.day ? second.time : null
    return { task, day, time, end, kind: 'block', base: first.day, last: second.day }
  }
}

const kindOrder = ['deadline', 'scheduled', 'block', 'event']

/** The entries from one day to another, in the order in which they are read. */
export function agendaEntries(
  objects: Iterable<MemoryObject>,
  span: Span,
  now: Date,
): AgendaEntry[] {
  const today = dayOf(now)
  const dates: OnDay[] = []
  for (const task of candidates(objects)) {
    if (task.deadline !== null) dates.push(deadlineOn(task, today))
    if (task.scheduled !== null) dates.push(scheduledOn(task, today))
    for (const stamp of timestampsIn(task)) dates.push(eventOn(task, stamp, today))
  }
  const entries: AgendaEntry[] = []
  for (let day = span.from; day <= span.to; day = addDays(day, 1)) {
    const found = dates.flatMap((on) => on(day) ?? [])
    const key = ({ time, kind }: AgendaEntry) => `${time ?? '99'}${kindOrder.indexOf(kind)}`
    entries.push(...found.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)))
  }
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
  const all = agendaEntries(objects, span, now)
  const entries = only === 'deadline' ? all.filter(({ kind }) => kind === 'deadline') : all
  const isLate = ({ base, kind }: AgendaEntry) => base < today && /^(?:dead|sched)/.test(kind)
  const todays = entries.filter(({ day, time }) => day === today && time === null)
  const late = todays.filter(isLate)
  const ahead = todays.filter(({ base, kind }) => kind === 'deadline' && base > today)
  const due = new Set(late.filter(({ kind }) => kind === 'deadline').map(({ task }) => task))
  const lateOnce = late.filter(({ kind, task }) => kind === 'deadline' || !due.has(task))
  lateOnce.sort((a, b) => (a.base < b.base ? -1 : a.base > b.base ? 1 : 0))
  const sections = [lateSection(lateOnce, today)]
  if (only === 'late') return sections[0] || 'Nothing is overdue.'
  for (let day = span.from; day <= span.to; day = addDays(day, 1)) {
    const own = entries.filter((entry) => entry.day === day && !todays.includes(entry))
    const plain = todays.filter(
      (entry) => entry.day === day && !late.includes(entry) && !ahead.includes(entry),
    )
    sections.push(daySection(day, [...own, ...plain], today))
  }
  sections.push(
    aheadSection(
      ahead.filter(({ base }) => base > span.to),
      today,
    ),
  )
  const shown = sections.filter((section) => section !== '')
  const verb = only === 'deadline' ? 'due' : 'dated'
  return shown.length > 0
    ? cut(shown.join('\n\n'))
    : `Nothing is ${verb} ${spanWords(span, today)}.`
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

function cut(text: string): string {
  const lines = text.split('\n')
  if (lines.length <= linesMax) return text
  return `${lines.slice(0, linesMax).join('\n').trimEnd()}\n\n${lines.length - linesMax} more lines.`
}

/** A span in words: `today`, `on Fri 27 Nov`, `from Sat 21 Nov to Fri 27 Nov`. */
export function spanWords({ from, to }: Span, today: string): string {
  const said = (day: string) => dayWords(day, today)
  if (from !== to) return `from ${said(from)} to ${said(to)}`
  return /^(?:to|yester)/.test(said(from)) ? said(from) : `on ${said(from)}`
}
