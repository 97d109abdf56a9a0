import { addDays, addMonths, dayOf, lastOfMonth, weekdayOf } from './dates.ts'

/** A place in a phrase, and the two texts that could stand there. */
export interface Doubt {
  begin: number
  end: number
  texts: [string, string]
}

/** What the words of a phrase have said so far. */
export interface Parts {
  day: string | null
  time: string | null
  end: string | null
  repeat: string | null
  /** A duration in minutes. */
  minutes: number | null
  due: boolean
  /** The day was said by the name of a weekday alone. */
  byName: boolean
  /** A word such as `on` has led to what comes next. */
  led: boolean
  doubt: Doubt | null
}

/** One way of saying something; `read` fills in parts, or declines with false. */
interface Atom {
  pattern: RegExp
  read: (words: (string | undefined)[], parts: Parts, now: Date, at: number) => boolean
}

const weekdayNames = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')
const monthNames =
  'january february march april may june july august september october november december'.split(' ')
/** The words for the numbers to twelve; the article stands at zero. */
export const numberWords: readonly string[] =
  'a one two three four five six seven eight nine ten eleven twelve'.split(' ')
const ordinals =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ')

const number = String.raw`(\d{1,4}|a couple of|${numberWords.slice(1).join('|')}|an?)`
/** A pattern for the name of a weekday. */
export const weekday =
  '(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)'
/** A pattern for the name of a month. */
export const month: string = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
const dayOfMonth = String.raw`(\d{1,2}(?:st|nd|rd|th)?|${ordinals.join('|')})`
const clock = String.raw`(\d{1,2})(?::(\d{2}))?(?: ?([ap]\.?m\b\.?))?`

/** The number that a word or digits stand for. */
export function numberOf(word: string): number {
  if (/^\d/.test(word)) return Number.parseInt(word, 10)
  if (word === 'a couple of') return 2
  const ordinal = ordinals.indexOf(word)
  return ordinal === -1 ? Math.max(1, numberWords.indexOf(word)) : ordinal + 1
}

function weekdayNumber(name: string): number {
  return weekdayNames.findIndex((full) => full.startsWith(name.slice(0, 3)))
}

function monthNumber(name: string): number {
  return monthNames.findIndex((full) => full.startsWith(name.slice(0, 3))) + 1
}

function setDay(parts: Parts, day: string | null): boolean {
  if (day === null) return false
  if (parts.day !== null && parts.day !== day) {
    if (!parts.byName || weekdayOf(parts.day) !== weekdayOf(day)) return false
    parts.doubt = null
  }
  parts.day = day
  parts.byName = false
  return true
}

/** A day of the calendar, the next of its kind when the year is not given, or null. */
function calendarDay(year: number | null, monthOf: number, date: number, now: Date): string | null {
  const today = dayOf(now)
  const two = (value: number) => String(value).padStart(2, '0')
  for (let at = year ?? now.getFullYear(); at <= (year ?? now.getFullYear() + 8); at++) {
    const day = `${String(at).padStart(4, '0')}-${two(monthOf)}-${two(date)}`
    if (monthOf < 1 || monthOf > 12 || date < 1 || day > lastOfMonth(`${day.slice(0, 7)}-01`))
      continue
    if (year !== null || day >= today) return day
  }
  return null
}

/** The next day of that name, perhaps today. */
export function nextWeekday(name: string, now: Date): string {
  const today = dayOf(now)
  return addDays(today, (weekdayNumber(name) - weekdayOf(today) + 7) % 7)
}

/** The Monday of the week that a day is in. */
function mondayOf(day: string): string {
  return addDays(day, -((weekdayOf(day) + 6) % 7))
}

function readWeekday(which: string, name: string, parts: Parts, now: Date, span: Doubt): boolean {
  const today = dayOf(now)
  const near = nextWeekday(name, now)
  const inNextWeek = addDays(mondayOf(today), 7 + ((weekdayNumber(name) + 6) % 7))
  const next = which === 'next'
  if (next ? near !== inNextWeek && near !== today : near === today && which === '') {
    const texts: Doubt['texts'] = next ? [near, inNextWeek] : [today, addDays(today, 7)]
    parts.doubt ??= { ...span, texts }
  }
  if (parts.day !== null && weekdayOf(parts.day) === weekdayOf(near)) {
    parts.doubt = null
    return true
  }
  if (!setDay(parts, next ? inNextWeek : near)) return false
  parts.byName = !next
  return true
}

function spanOf(words: (string | undefined)[], at: number): Doubt {
  return { begin: at, end: at + words[0]!.length, texts: ['', ''] }
}

const partsOfDay: Record<string, string> = {
  morning: '09:00',
  noon: '12:00',
  afternoon: '15:00',
  evening: '18:00',
  night: '20:00',
}

function setTime(parts: Parts, time: string | null, end: string | null = null): boolean {
  if (time === null || parts.time !== null) return false
  parts.time = time
  parts.end = end
  return true
}

const nearAtom: Atom = {
  pattern:
    /(today|tonight|tomorrow|tmrw?|this(?= (?:morning|afternoon|evening)\b)|(?:the )?day after tomorrow)(?: (morning|noon|afternoon|evening|night))?/y,
  read([, word = '', part], parts, now) {
    const days = word.endsWith('after tomorrow') ? 2 : /^tom|^tm/.test(word) ? 1 : 0
    const hour = word === 'tonight' ? 'night' : part
    if (!setDay(parts, addDays(dayOf(now), days))) return false
    return hour === undefined || setTime(parts, partsOfDay[hour]!)
  },
}

/** Days from one to another, both included, in the words of whoever asked. */
export interface Span {
  from: string
  to: string
}

/** The Saturday and the Sunday that are meant. */
export function weekendSpan(which: string, now: Date): Span {
  const monday = addDays(mondayOf(dayOf(now)), which === 'next' ? 7 : which === 'last' ? -7 : 0)
  return { from: addDays(monday, 5), to: addDays(monday, 6) }
}

const weekendAtom: Atom = {
  pattern: /(?:(this|the|next) )?weekend/y,
  read: ([, which], parts, now) => setDay(parts, weekendSpan(which ?? 'this', now).from),
}

const weekdayAtom: Atom = {
  pattern: new RegExp(
    `(?:(next|this|this coming|coming) )?${weekday}( next week)?(?: (morning|afternoon|evening|night))?`,
    'y',
  ),
  read(words, parts, now, at) {
    const [, which = '', name = '', week, part] = words
    const bare = /^(?:sun|sat|mon|wed)$/.test(words[0]!)
    if (bare && !parts.led) return false
    if (!readWeekday(week ? 'next' : which, name, parts, now, spanOf(words, at))) return false
    if (week) parts.doubt = null
    return part === undefined || setTime(parts, partsOfDay[part]!)
  },
}

function later(day: string, count: number, unit: string): string {
  if (unit.startsWith('d')) return addDays(day, count)
  if (unit.startsWith('w')) return addDays(day, 7 * count)
  if (unit.startsWith('f')) return addDays(day, 14 * count)
  return addMonths(day, unit.startsWith('m') ? count : 12 * count)
}

const distanceAtom: Atom = {
  pattern: new RegExp(
    `(?:in ${number} (day|week|fortnight|month|year)s?(?: time)?|${number} (day|week|month|year)s? (?:from (?:now|today)|hence))`,
    'y',
  ),
  read([, count, unit, count2, unit2], parts, now) {
    return setDay(parts, later(dayOf(now), numberOf(count ?? count2!), unit ?? unit2!))
  },
}

const soonAtom: Atom = {
  pattern: new RegExp(`in (?:half an (hour)|${number} (hour|minute|min)s?)`, 'y'),
  read([, half, count = '30', unit = 'minute'], parts, now) {
    const minutes = half ? 30 : numberOf(count) * (unit === 'hour' ? 60 : 1)
    const then = new Date(now.getTime() + minutes * 60_000)
    return setDay(parts, dayOf(then)) && setTime(parts, then.toTimeString().slice(0, 5))
  },
}

/** The week, month or year that is meant, from its first day to its last. */
export function periodOf(which: string, unit: string, now: Date): Span {
  const today = dayOf(now)
  const step = which === 'next' ? 1 : which === 'last' ? -1 : 0
  if (unit === 'week') {
    const from = addDays(mondayOf(today), 7 * step)
    return { from, to: addDays(from, 6) }
  }
  if (unit === 'month') {
    const from = addMonths(`${today.slice(0, 7)}-01`, step)
    return { from, to: lastOfMonth(from) }
  }
  const year = String(now.getFullYear() + step).padStart(4, '0')
  return { from: `${year}-01-01`, to: `${year}-12-31` }
}

const periodAtom: Atom = {
  pattern: /next (week|month|year)/y,
  read: ([, unit = ''], parts, now) => setDay(parts, periodOf('next', unit, now).from),
}

const edgeAtom: Atom = {
  pattern: new RegExp(
    `(?:the )?(end|start|beginning|middle) of (?:the )?(?:(this|next) )?(week|month|year|${month}(?: (\\d{4}))?)|(eow|eom|eoy)`,
    'y',
  ),
  read([, edge = 'end', which = '', unit = '', name, year, short], parts, now) {
    const units: Record<string, string> = { eow: 'week', eom: 'month', eoy: 'year' }
    let { from, to } = periodOf(which, units[short ?? ''] ?? unit, now)
    if (name !== undefined) {
      const first = monthOf(name, year, now)
      from = first
      to = lastOfMonth(first)
    }
    if (edge === 'middle')
      return setDay(parts, addDays(from, unit === 'week' ? 2 : unit === 'year' ? 181 : 14))
    return setDay(parts, edge === 'end' ? to : from)
  },
}

/** The first day of a month by its name: of this year, or of the next when it is over. */
export function monthOf(name: string, year: string | undefined, now: Date): string {
  const two = String(monthNumber(name)).padStart(2, '0')
  const first = `${year ?? now.getFullYear()}-${two}-01`
  return year === undefined && lastOfMonth(first) < dayOf(now) ? addMonths(first, 12) : first
}

const calendarAtoms: Atom[] = [
  {
    pattern: /(\d{4})-(\d{2})-(\d{2})/y,
    read: ([, year, monthOf, date], parts, now) =>
      setDay(parts, calendarDay(Number(year), Number(monthOf), Number(date), now)),
  },
  {
    pattern: /(\d{1,2})\. ?(\d{1,2})\.(?: ?(\d{4}))?/y,
    read: ([, date, monthOf, year], parts, now) =>
      setDay(parts, calendarDay(year ? Number(year) : null, Number(monthOf), Number(date), now)),
  },
  {
    pattern: new RegExp(`(?:the )?${dayOfMonth}(?: of)? ${month}(?:,? (\\d{4}))?`, 'y'),
    read: ([, date = '', name = '', year], parts, now) =>
      setDay(
        parts,
        calendarDay(year ? Number(year) : null, monthNumber(name), numberOf(date), now),
      ),
  },
  {
    pattern: new RegExp(`${month} (?:the )?${dayOfMonth}(?:,? (\\d{4}))?(?![:\\d])`, 'y'),
    read: ([, name = '', date = '', year], parts, now) =>
      setDay(
        parts,
        calendarDay(year ? Number(year) : null, monthNumber(name), numberOf(date), now),
      ),
  },
  {
    pattern: /(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?/y,
    read(words, parts, now, at) {
      const [one, two, year] = words
        .slice(1)
        .map((word) => (word === undefined ? null : Number(word)))
      const british = calendarDay(year ?? null, two!, one!, now)
      const american = calendarDay(year ?? null, one!, two!, now)
      if (!parts.led && year == null) return false
      if (british !== null && american !== null && british !== american)
        parts.doubt ??= { ...spanOf(words, at), texts: [british, american] }
      return setDay(parts, british ?? american)
    },
  },
]

function timeOf(hour = '', minute = '00', half = ''): string | null {
  const given = Number(hour)
  if (given > 23 || Number(minute) > 59 || (half !== '' && (given < 1 || given > 12))) return null
  const hours = half === '' ? given : (given % 12) + (half.startsWith('p') ? 12 : 0)
  return `${String(hours).padStart(2, '0')}:${minute}`
}

const rangeAtom: Atom = {
  pattern: new RegExp(`(from |between )?${clock} ?(?:-|–|to|until|till|and) ?${clock}`, 'y'),
  read([, lead, hour, minute, half, hour2, minute2, half2], parts) {
    const clear = lead !== undefined || (minute ?? half2) !== undefined
    const begin = timeOf(hour, minute, half ?? half2)
    const end = timeOf(hour2, minute2, half2)
    if (!clear || begin === null || end === null || end <= begin) return false
    if (half2 === undefined && minute === undefined && Number(hour) < 7) return false
    return setTime(parts, begin, end)
  },
}

const timeAtom: Atom = {
  pattern: new RegExp(`(at |@ ?)?(?:${clock}(?: o'?clock)?|(noon|midday))(?![\\d/.:-])`, 'y'),
  read(words, parts, _now, at) {
    const [, lead, hour, minute, half, noon] = words
    if (noon !== undefined) return setTime(parts, '12:00')
    if ((lead ?? minute ?? half) === undefined) return false
    const time = timeOf(hour, minute, half)
    if (minute === undefined && half === undefined && Number(hour) >= 1 && Number(hour) <= 6)
      parts.doubt ??= {
        ...spanOf(words, at),
        texts: [`at ${time}`, `at ${timeOf(hour, '00', 'pm')}`],
      }
    return setTime(parts, time)
  },
}

const lengthAtom: Atom = {
  pattern:
    /for (half an|an?|\d+(?:\.5)?|two|three|four|five|six|seven|eight|nine|ten) ?(hours?|h|minutes?|mins?)(?: (and a half)|(?: and)? ?(\d{1,2}) ?(?:minutes?|mins?|m))?/y,
  read([, count = '', unit = '', half, more], parts) {
    const number = count === 'half an' ? 0.5 : /^\d/.test(count) ? Number(count) : numberOf(count)
    const minutes = number * (unit.startsWith('h') ? 60 : 1) + (half ? 30 : 0) + Number(more ?? 0)
    if (parts.minutes !== null || parts.end !== null || minutes <= 0 || minutes > 5999) return false
    parts.minutes = Math.round(minutes)
    return true
  },
}

const everyAtom: Atom = {
  pattern: new RegExp(
    `(?:every|each) (?:(other|second|third|${number.slice(1, -1)}) )?(?:(day|week|month|year)s?(?![a-z])|${weekday}s?(?![a-z]))`,
    'y',
  ),
  read([, count = 'one', unit, name], parts, now) {
    const every = { other: 2, second: 2, third: 3 }[count] ?? numberOf(count)
    if (parts.repeat !== null || every < 1) return false
    parts.repeat = `+${every}${unit?.charAt(0) ?? 'w'}`
    return name === undefined || setDay(parts, nextWeekday(name, now))
  },
}

const pluralAtom: Atom = {
  pattern: new RegExp(`(${weekdayNames.join('|')})s`, 'y'),
  read([, name = ''], parts, now) {
    if (parts.repeat !== null) return false
    parts.repeat = '+1w'
    return setDay(parts, nextWeekday(name, now))
  },
}

const adverbAtom: Atom = {
  pattern: /(daily|weekly|fortnightly|monthly|quarterly|yearly|annually)/y,
  read([, word = ''], parts) {
    if (parts.repeat !== null) return false
    const unit = word.startsWith('a') ? 'y' : word.charAt(0)
    parts.repeat = { f: '+2w', q: '+3m' }[word.charAt(0)] ?? `+1${unit}`
    return true
  },
}

function nextMonthDay(date: number, now: Date): string | null {
  const today = dayOf(now)
  for (let step = 0; step < 12; step++) {
    const first = addMonths(`${today.slice(0, 7)}-01`, step)
    const day = addDays(first, date - 1)
    if (date >= 1 && day >= today && day <= lastOfMonth(first)) return day
  }
  return null
}

const monthDayAtom: Atom = {
  pattern:
    /(every |each )?(the )?(\d{1,2}(?:st|nd|rd|th)|first|second|third)(?: day)?( of (?:the|each|every|this) month)?(?![a-z])/y,
  read([, every, article, date = '', ofMonth], parts, now) {
    const named = every !== undefined || ofMonth !== undefined
    if (!named && !article && !/^\d/.test(date)) return false
    if (!named && !(parts.led || parts.repeat !== null)) return false
    if (every !== undefined && parts.repeat !== null) return false
    if (every !== undefined) parts.repeat = '+1m'
    return setDay(parts, nextMonthDay(numberOf(date), now))
  },
}

const anniversaryAtom: Atom = {
  pattern: new RegExp(
    `(?:every|each) (?:(?:the )?${dayOfMonth}(?: of)? ${month}|${month} (?:the )?${dayOfMonth})`,
    'y',
  ),
  read([, date, name, name2, date2], parts, now) {
    if (parts.repeat !== null) return false
    parts.repeat = '+1y'
    return setDay(
      parts,
      calendarDay(null, monthNumber(name ?? name2!), numberOf(date ?? date2!), now),
    )
  },
}

const afterAtom: Atom = {
  pattern: /after (?:it is |it's |it has been |being )?(?:done|completion|finished|completed)/y,
  read(_words, parts) {
    if (parts.repeat?.startsWith('+') !== true) return false
    parts.repeat = `.${parts.repeat}`
    return true
  },
}

const atoms: Atom[] = [
  ...[
    nearAtom,
    soonAtom,
    distanceAtom,
    edgeAtom,
    weekendAtom,
    weekdayAtom,
    periodAtom,
    anniversaryAtom,
  ],
  ...calendarAtoms,
  ...[monthDayAtom, everyAtom, pluralAtom, adverbAtom, afterAtom, lengthAtom, rangeAtom, timeAtom],
]

const offsetPattern = new RegExp(`^${number} (day|week|month|year)s? (?:from|after) `)

const leads =
  /(?:on|by|due(?: on| by)?|deadline|starting(?: on| from)?|from|for|before|to|until|till|at(?= (?:the )?(?:end|start|beginning|middle) )) (?=\S)/y

/** Reads a phrase that is a date from its first word to its last, or returns null; `moving` allows `to` and `until`. */
export function readPhrase(phrase: string, now: Date, moving: boolean): Parts | null {
  const empty = { day: null, time: null, end: null, repeat: null, minutes: null }
  const parts: Parts = { ...empty, due: false, led: false, byName: false, doubt: null }
  const offset = offsetPattern.exec(phrase)
  let at = offset?.[0].length ?? 0
  while (at < phrase.length) {
    const taken = readAtom(phrase, at, parts, now)
    if (taken > 0) {
      parts.led = false
      at += taken
    } else {
      leads.lastIndex = at
      const lead = leads.exec(phrase)?.[0]
      if (lead === undefined || parts.led) return null
      if (/^(?:to|un|till)/.test(lead) && !moving) return null
      if (/^(?:by|due|deadline|before)/.test(lead)) parts.due = true
      parts.led = true
      if (lead === 'before ') return readBefore(phrase, at, parts, now)
      at += lead.length
    }
    at += /^[ ,]*/.exec(phrase.slice(at))![0].length
  }
  if (parts.led || (offset !== null && parts.day === null)) return null
  if (offset !== null) parts.day = later(parts.day!, numberOf(offset[1]!), offset[2]!)
  return parts
}

function readAtom(phrase: string, at: number, parts: Parts, now: Date): number {
  for (const { pattern, read } of atoms) {
    pattern.lastIndex = at
    const match = pattern.exec(phrase)
    if (match === null || /^[\p{L}\p{N}]/u.test(phrase.slice(at + match[0].length))) continue
    const attempt = { ...parts }
    if (!read([...match], attempt, now, at)) continue
    Object.assign(parts, attempt)
    return match[0].length
  }
  return 0
}

function readBefore(phrase: string, at: number, parts: Parts, now: Date): Parts | null {
  const begin = at + 'before '.length
  if (readAtom(phrase, begin, parts, now) !== phrase.length - begin || parts.day === null)
    return null
  const texts: Doubt['texts'] = [`by ${addDays(parts.day, -1)}`, `by ${parts.day}`]
  return { ...parts, led: false, doubt: { begin: at, end: phrase.length, texts } }
}
