import { type DayNumber, leadDays, repetitionsOf } from '../base/day.ts'
import type { NoteDate, NoteFacts } from '../memory/facts.ts'

type AgendaKind =
  | 'deadline'
  | 'upcoming-deadline'
  | 'scheduled'
  | 'past-scheduled'
  | 'block'
  | 'timestamp'

/** One note on one day. */
export interface AgendaItem {
  note: NoteFacts
  day: DayNumber
  kind: AgendaKind
  /** The day in the timestamp; of a block, its first. */
  base: DayNumber
  /** The last day of a block; otherwise the base. */
  last: DayNumber
  /** `HH:MM`, or null when it has no hour on this day. */
  time: string | null
  end: string | null
  /** Such as `Sched. 3x: ` or `In   5 d.: `; empty for a timestamp. */
  leader: string
  habit: boolean
  /** By which Emacs sorts what has the same hour, highest first. */
  urgency: number
}

interface AgendaDay {
  day: DayNumber
  items: AgendaItem[]
}

interface AgendaSettings {
  today: DayNumber
  /** Whether done entries are shown, as Emacs does. */
  done?: boolean
  /** Whether a habit is shown on today's page only, and not when it is done. */
  habits?: boolean
  /** `org-deadline-warning-days`. */
  warningDays?: number
  /** Finds a note by id, for the headlines above those that are given; by default among these. */
  above?: (id: string) => NoteFacts | null
}

/** The headlines that may be in an agenda and have a date. */
function candidates(notes: readonly NoteFacts[], settings: AgendaSettings): NoteFacts[] {
  const given = new Map<string, NoteFacts>()
  const found: NoteFacts[] = []
  for (const note of notes) {
    if (settings.above === undefined) given.set(note.id, note)
    if (note.type !== 'headline' || note.dates.length === 0) continue
    if (!note.tags.includes('ARCHIVE')) found.push(note)
  }
  const above = settings.above ?? ((id) => given.get(id) ?? null)
  return found.filter((note) => !isCommented(note, above))
}

function isCommented(note: NoteFacts, above: (id: string) => NoteFacts | null): boolean {
  for (let at: NoteFacts | null = note; at !== null; at = above(at.parent ?? '')) {
    if (at.commented) return true
  }
  return false
}

/** The notes with diary expressions, which are not in the agenda because they are Lisp. */
export function diaryNotes(notes: Iterable<NoteFacts>): NoteFacts[] {
  return [...notes].filter(({ diary, tags }) => diary > 0 && !tags.includes('ARCHIVE'))
}

type OnDay = (day: DayNumber, settings: AgendaSettings) => AgendaItem | null

/** After how many days Emacs stops to tell what is late. */
const pastDays = 10_000

function deadlineOn(note: NoteFacts, { raw, first: base }: NoteDate): OnDay {
  const own = leadDays(raw)
  const repeats = repetitionsOf(raw)
  const priority = priorityOf(note)
  return (day, { today, warningDays = 14 }) => {
    const isItsDay = day === base || (day > today && repeats(day))
    const isNear = base > day ? base - day <= (own ?? warningDays) : day - base <= pastDays
    if (!isItsDay && !(day === today && isNear)) return null
    if (note.done && day !== base) return null
    const isAhead = day === today && base > today
    return {
      note,
      day,
      base,
      last: base,
      habit: false,
      kind: isAhead ? 'upcoming-deadline' : 'deadline',
      ...(isItsDay ? hoursOf(planningHours(raw), note) : noHours),
      leader: deadlineLeader(base, day, today),
      urgency: priority + (day === today ? day - base : 0),
    }
  }
}

function deadlineLeader(base: DayNumber, day: DayNumber, today: DayNumber): string {
  if (day !== today || base === today) return 'Deadline:  '
  if (base > today) return `In ${String(base - today).padStart(3)} d.: `
  return `${String(today - base).padStart(2)} d. ago: `
}

function scheduledOn(note: NoteFacts, { raw, first: base }: NoteDate): OnDay {
  const delay = leadDays(raw) ?? 0
  const repeats = repetitionsOf(raw)
  const priority = priorityOf(note)
  const asHabit = habitUrgency(note, raw, base)
  return (day, { today, habits = true }) => {
    const habit = habits && asHabit !== null
    const isItsDay = day === base || (day > today && repeats(day))
    if (base > day || (!isItsDay && day !== today)) return null
    if (day - base > pastDays || (delay > 0 && day - base < delay)) return null
    if (note.done && (habit || day !== base)) return null
    if (habit && day !== today) return null
    const isLate = base < today
    const leader = isLate && day === today ? `Sched.${String(day - base).padStart(2)}x: ` : null
    const { time, end } = isItsDay || habit ? hoursOf(planningHours(raw), note) : noHours
    const urgency = habit ? asHabit(today) : 99 + day - base + priority
    const kind = isLate ? 'past-scheduled' : 'scheduled'
    const words = habit ? '' : (leader ?? 'Scheduled: ')
    return { note, day, kind, base, last: base, time, end, leader: words, habit, urgency }
  }
}

function habitUrgency(
  { attributes }: NoteFacts,
  raw: string,
  base: DayNumber,
): ((today: DayNumber) => number) | null {
  const match = /[.+]?\+(\d+)([dwmy])(?:\/(\d+)([dwmy]))?/.exec(raw)
  if (attributes.STYLE !== 'habit' || match === null) return null
  const days = leadDays(`-${match[1]}${match[2]}`) ?? 0
  const most = match[3] === undefined ? days : (leadDays(`-${match[3]}${match[4]}`) ?? 0)
  if (days < 1 || most < days) return null
  const deadline = base + most - days
  return (today) => {
    const slip = today - (deadline - 1)
    const atLast = base !== deadline && today === deadline ? 50 : 0
    return 1_000 + (today - base) * 10 + atLast + slip * (slip > 0 ? 100 : 10)
  }
}

function eventOn(note: NoteFacts, { raw, first: base }: NoteDate): OnDay {
  const repeats = /\+\d+[hdwmy]>$/.test(raw) ? repetitionsOf(raw) : () => false
  const priority = priorityOf(note)
  const scheduled = note.dates.find(({ kind }) => kind === 'scheduled')
  const asHabit = scheduled && habitUrgency(note, scheduled.raw, scheduled.first)
  return (day, { today, habits = true }) => {
    if (day !== base && !repeats(day)) return null
    const urgency = habits && asHabit ? asHabit(today) : priority
    const hours = hoursOf(raw, note)
    const plain = { note, day, base, last: base, habit: false, leader: '', urgency }
    return { ...plain, kind: 'timestamp', ...hours }
  }
}

function blockOn(note: NoteFacts, { raw, first, last }: NoteDate): OnDay {
  const [start = '', end = ''] = raw.split(/(?<=>)--?-?(?=<)/)
  const urgency = priorityOf(note)
  const whole = first === last ? `${start}--${end}` : null
  return (day) => {
    if (day < first || day > last) return null
    const stamp = whole ?? (day === first ? start : day === last ? end : null)
    return {
      note,
      day,
      kind: 'block',
      base: first,
      last,
      habit: false,
      urgency,
      ...(stamp === null ? noHours : hoursOf(stamp, note)),
      leader: first === last ? '' : `(${day - first + 1}/${last - first + 1}): `,
    }
  }
}

type Hours = Pick<AgendaItem, 'time' | 'end'>

const noHours: Hours = { time: null, end: null }

const oneHour = /(?<![\p{L}\p{N}])([012]?\d)(?::([0-5]\d)(am|pm)?|(am|pm))(?![\p{L}\p{N}])/iu
const stampHours =
  /<(\d{4}-\d\d-\d\d +[\p{L}\p{N}]+ +)([012]\d:[0-5]\d)(?:-([012]\d:[0-5]\d))?[^\n\r>]*?>(?:--?<\1([012]\d:[0-5]\d)>)?/u
const plainHour = String.raw`(?<![\p{L}\p{N}])[012]?\d(?::[0-5]\d(?:am|pm)?|(?:am|pm))(?![\p{L}\p{N}])`
const plainHours = new RegExp(`(${plainHour})(?:--?(${plainHour}))?`, 'iu')

function hoursOf(stamp: string, { title }: NoteFacts): Hours {
  if (!/\d:\d|\d[ap]m/i.test(stamp) && !/\d:\d|\d[ap]m/i.test(title)) return noHours
  const text = stamp + title.replace(/[<[]\d{4}-\d\d-\d\d[^>\]\n]*[>\]]/g, '')
  if (!oneHour.test(text)) return noHours
  const inStamp = stampHours.exec(text)
  if (inStamp !== null) {
    return { time: clockTime(inStamp[2]), end: clockTime(inStamp[3] ?? inStamp[4]) }
  }
  const plain = plainHours.exec(text)
  return { time: clockTime(plain?.[1]), end: clockTime(plain?.[2]) }
}

/** An hour as `HH:MM`. */
function clockTime(text: string | undefined): string | null {
  const match = oneHour.exec(text ?? '')
  if (match === null) return null
  const half = (match[3] ?? match[4])?.toLowerCase()
  const written = Number(match[1])
  const hour = half === undefined ? written : (written % 12) + (half === 'pm' ? 12 : 0)
  return `${String(hour).padStart(2, '0')}:${match[2] ?? '00'}`
}

/** What Emacs takes from a planning date to look for the hour: from its first hour on. */
function planningHours(raw: string): string {
  const at = / [012]?\d:\d\d/.exec(raw)
  return at === null ? '' : `${raw.slice(at.index + 1, -1)} `
}

/** A date, and which of the kinds it is in the order in which Emacs collects them. */
interface Prepared {
  rank: number
  on: OnDay
  /** The only day on which it may be, when today is another; null for many. */
  day: DayNumber | null
}

const prepared = new WeakMap<NoteFacts, readonly Prepared[]>()

function datesOf(note: NoteFacts): readonly Prepared[] {
  let dates = prepared.get(note)
  if (dates === undefined) {
    dates = note.dates.flatMap((date) => preparedDate(note, date) ?? [])
    prepared.set(note, dates)
  }
  return dates
}

function preparedDate(note: NoteFacts, date: NoteDate): Prepared | null {
  const isActive = date.raw.startsWith('<')
  const day = date.kind === 'block' || /\+[1-9]/.test(date.raw) ? null : date.first
  if (date.kind === 'deadline' && isActive) return { day, rank: 0, on: deadlineOn(note, date) }
  if (date.kind === 'scheduled' && isActive) return { day, rank: 1, on: scheduledOn(note, date) }
  if (date.kind === 'block') return { day, rank: 2, on: blockOn(note, date) }
  return date.kind === 'event' ? { day, rank: 3, on: eventOn(note, date) } : null
}

/** Emacs's number for a priority, a thousand for each step; B when there is none. */
function priorityOf({ priority, title }: NoteFacts): number {
  const written = priority ?? /\[#([A-Z]|\d+)\]/.exec(title)?.[1] ?? 'B'
  const value = /^\d/.test(written) ? Number(written) : written.charCodeAt(0)
  return 1_000 * (67 - value)
}

/** The days from one to another, both included, with what is on them in the order of Emacs. */
export function agenda(
  notes: readonly NoteFacts[],
  from: DayNumber,
  to: DayNumber,
  settings: AgendaSettings,
): AgendaDay[] {
  const dates = sortedDates(notes, settings)
  const days: AgendaDay[] = []
  for (let day = from; day <= to; day++) {
    const { today, done = true, habits = true, warningDays = 14 } = settings
    const key = [day, today, done, habits, warningDays].join()
    const items = dates.known.get(key) ?? itemsOn(dates, day, settings)
    if (dates.known.size < knownMax) dates.known.set(key, items)
    days.push({ day, items: [...items] })
  }
  return days
}

function itemsOn(dates: SortedDates, day: DayNumber, settings: AgendaSettings): AgendaItem[] {
  const items: AgendaItem[] = []
  for (const { on, note } of datesFor(dates, day, settings.today)) {
    const item = settings.done === false && note.done ? null : on(day, settings)
    if (item !== null) items.push(item)
  }
  return items.sort(inOrder)
}

function inOrder(one: AgendaItem, other: AgendaItem): number {
  if (one.habit !== other.habit) return one.habit ? 1 : -1
  const [first, second] = [one.time ?? '99', other.time ?? '99']
  if (first !== second) return first < second ? -1 : 1
  return other.urgency - one.urgency
}

interface Dated {
  note: NoteFacts
  on: OnDay
  /** In which order Emacs collects it. */
  place: number
}

interface SortedDates {
  all: readonly Dated[]
  /** Those that may be on more than one day. */
  many: readonly Dated[]
  byDay: ReadonlyMap<DayNumber, readonly Dated[]>
  /** The days that were asked for already, by day and settings. */
  known: Map<string, readonly AgendaItem[]>
}

const knownMax = 100

const sorted = new WeakMap<readonly NoteFacts[], SortedDates>()

function sortedDates(notes: readonly NoteFacts[], settings: AgendaSettings): SortedDates {
  let dates = sorted.get(notes)
  if (dates === undefined) {
    dates = sortDates(candidates(notes, settings))
    sorted.set(notes, dates)
  }
  return dates
}

function sortDates(notes: readonly NoteFacts[]): SortedDates {
  const files = new Map<string, number>()
  for (const { file } of notes) if (!files.has(file)) files.set(file, files.size)
  const all = notes.flatMap((note) =>
    datesOf(note).map(({ rank, on, day }) => ({
      note,
      on,
      day,
      place: 4 * files.get(note.file)! + rank,
    })),
  )
  all.sort((one, other) => one.place - other.place)
  const ordered = all.map((date, place) => ({ ...date, place }))
  const byDay = new Map<DayNumber, Dated[]>()
  for (const date of ordered) {
    if (date.day === null) continue
    const known = byDay.get(date.day)
    if (known === undefined) byDay.set(date.day, [date])
    else known.push(date)
  }
  const many = ordered.filter(({ day }) => day === null)
  return { all: ordered, many, byDay, known: new Map() }
}

function datesFor(dates: SortedDates, day: DayNumber, today: DayNumber): readonly Dated[] {
  if (day === today) return dates.all
  const own = dates.byDay.get(day) ?? []
  return [...own, ...dates.many].sort((one, other) => one.place - other.place)
}
