import { casual } from 'chrono-node/en'
import { addDays, addMonths, dayOf, lastOfMonth, type Stamp, weekdayOf } from './dates.ts'

interface Doubt {
  begin: number
  end: number
  texts: [string, string]
}

interface Parts {
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
const numberWords = 'a one two three four five six seven eight nine ten eleven twelve'.split(' ')
const ordinals =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ')

const number = String.raw`(\d{1,4}|a couple of|${numberWords.slice(1).join('|')}|an?)`
const weekday =
  '(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)'
const month = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
const dayOfMonth = String.raw`(\d{1,2}(?:st|nd|rd|th)?|${ordinals.join('|')})`
const clock = String.raw`(\d{1,2})(?::(\d{2}))?(?: ?([ap]\.?m\b\.?))?`

function numberOf(word: string): number {
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

function nextWeekday(name: string, now: Date): string {
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

function periodOf(which: string, unit: string, now: Date): { from: string; to: string } {
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
function monthOf(name: string, year: string | undefined, now: Date): string {
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

function readPhrase(phrase: string, now: Date, moving: boolean): Parts | null {
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

/** A sentence without its date. */
interface TakenDate {
  rest: string
  stamp: Stamp | null
  /** It was called a deadline. */
  due: boolean
  /** How long it takes, when that was said and does not end the stamp. */
  minutes: number | null
  /** Two sentences instead of this one, when its date can be read in two ways. */
  readings: [string, string] | null
}

/** Takes a date from the end of a sentence; `moving` allows `to` and `until` before it. */
export function takeDate(sentence: string, now: Date, moving = false): TakenDate {
  const text = sentence
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(?<!\d)[.!?]+$/, '')
  const lower = text
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[.!?]+$/, (end) => (end.endsWith('.') ? '.' : ''))
  const begins = [...lower.matchAll(/(?<=^|[ ,])[^ ,]/g)].map(({ index }) => index).slice(-14)
  for (const begin of begins) {
    const phrase = lower.slice(begin)
    const parts =
      readPhrase(phrase, now, moving) ?? readPhrase(phrase.replace(/\.$/, ''), now, moving)
    const stamp = parts && stampOf(parts, now)
    if (parts === null || stamp === null) continue
    const rest = text.slice(0, begin).replace(/[\s,]+$/, '')
    const readings = parts.doubt && readingsOf(text, begin, parts.doubt)
    const minutes = stamp.end === null ? parts.minutes : null
    return { rest, stamp, due: parts.due, minutes, readings }
  }
  return withChrono(sentence.trim().replace(/\s+/g, ' '), now)
}

function readingsOf(text: string, offset: number, { begin, end, texts }: Doubt): [string, string] {
  const [one, two] = texts.map(
    (put) => text.slice(0, offset + begin) + put + text.slice(offset + end),
  )
  return [one!, two!]
}

function stampOf(parts: Parts, now: Date): Stamp | null {
  const { time, repeat, minutes } = parts
  let { day, end } = parts
  if (day === null && time === null && repeat === null) return null
  if (day === null) {
    const passed = time !== null && time <= now.toTimeString().slice(0, 5)
    day = addDays(dayOf(now), passed ? 1 : 0)
  }
  if (time !== null && end === null && minutes !== null) {
    const [hour = 0, minute = 0] = time.split(':').map(Number)
    const until = hour * 60 + minute + minutes
    if (until >= 24 * 60) return null
    end = `${String(Math.floor(until / 60)).padStart(2, '0')}:${String(until % 60).padStart(2, '0')}`
  }
  return { day, time, end, repeat }
}

const phraseMax = 80

function withChrono(sentence: string, now: Date): TakenDate {
  const whole: TakenDate = {
    rest: sentence,
    stamp: null,
    due: false,
    minutes: null,
    readings: null,
  }
  const from = sentence.length < phraseMax ? 0 : sentence.indexOf(' ', sentence.length - phraseMax)
  const found = casual.parse(sentence.slice(from), now, { forwardDate: true }).at(-1)
  if (from === -1 || found === undefined || /\d\/\d/.test(found.text)) return whole
  const index = from + found.index
  if (!/^[.!?]*$/.test(sentence.slice(index + found.text.length))) return whole
  const { start } = found
  const isRich = new RegExp(`\\b(?:and|${month})\\b.`, 'i').test(`${found.text} `)
  const isDay = (['day', 'weekday'] as const).some((part) => start.isCertain(part))
  if (!isRich || !isDay || !/ /.test(found.text)) return whole
  const date = start.date()
  const time = start.isCertain('hour') ? date.toTimeString().slice(0, 5) : null
  const before = sentence.slice(0, index).trimEnd()
  const joint = /(?:^|[\s,])(on|by|at|for|due|due on|due by|deadline)$/i.exec(before)
  return {
    rest: (joint === null ? before : before.slice(0, joint.index)).replace(/[\s,]+$/, ''),
    stamp: { day: dayOf(date), time, end: null, repeat: null },
    due: /due|by|deadline/i.test(joint?.[1] ?? ''),
    minutes: null,
    readings: null,
  }
}

/** The end of a sentence that names a day which no calendar has, or null. */
export function impossibleDay(sentence: string): string | null {
  const before = `(?:(?:on|by|due|at|for|to|until) )?(?:the )?`
  const words = `(\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${month}|${month} (?:the )?\\d{1,2}(?:st|nd|rd|th)?|\\d{4}-\\d{2}-\\d{2})`
  const match = new RegExp(`(?:^| )${before}${words}$`, 'i').exec(
    sentence.trim().replace(/[.!?]+$/, ''),
  )
  return match === null || takeDate(`x ${match[1]}`, new Date(2024, 0, 1)).stamp !== null
    ? null
    : match[1]!
}

/** Reads a text that is nothing but a day, or returns null. */
export function readDay(text: string, now: Date): string | null {
  const past = /^(yesterday|(?:the )?day before yesterday)$/i.exec(text.trim())
  if (past !== null) return addDays(dayOf(now), past[1]!.length > 10 ? -2 : -1)
  const last = new RegExp(`^(?:last|past) ${weekday}$`, 'i').exec(text.trim())
  if (last !== null) return addDays(nextWeekday(last[1]!.toLowerCase(), now), -7)
  const { rest, stamp } = takeDate(/^\d/.test(text) ? text : `on ${text}`, now)
  return rest === '' && stamp?.time === null && stamp.repeat === null ? stamp.day : null
}

/** Days from one to another, both included, in the words of whoever asked. */
export interface Span {
  from: string
  to: string
}

/** Reads a span of days such as `this week`, `next 10 days`, `in december`, or returns null. */
export function readSpan(text: string, now: Date, back = false): Span | null {
  if (text.length > phraseMax) return null
  const words = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^(?:in|on|for|during|within|over) /, '')
  const period =
    periodSpan(words, now, back) ?? monthSpan(words, now, back) ?? rangeSpan(words, now)
  if (period !== null) return period
  const day = readDay(words, now)
  if (day === null) return null
  if (!back || day < dayOf(now) || !new RegExp(`^${weekday}$`).test(words))
    return { from: day, to: day }
  const before = addDays(day, -7)
  return { from: before, to: before }
}

function periodSpan(words: string, now: Date, back: boolean): Span | null {
  const today = dayOf(now)
  const match =
    /^(?:the |my )?(?:(this|next|last|past|coming) )?(?:(\d+|[a-z]+) )?(day|week|weekend|month|year)s?$/.exec(
      words,
    )
  if (match === null) return null
  const [, which = '', count, unit = ''] = match
  if (count !== undefined) {
    if (!/^\d+$/.test(count) && !numberWords.includes(count)) return null
    const days = daysOf(Math.min(numberOf(count), 3660), unit)
    if (which === 'last' || which === 'past') return { from: addDays(today, 1 - days), to: today }
    return which === 'this' || unit === 'weekend'
      ? null
      : { from: today, to: addDays(today, days - 1) }
  }
  if (unit === 'day') return null
  if (unit === 'weekend') return weekendSpan(which, now)
  const whole = periodOf(which, unit, now)
  if (/^(?:next|last)$/.test(which)) return whole
  if (back || which === 'past') return { from: whole.from, to: today }
  return { from: today, to: unit === 'week' ? addDays(today, 6) : whole.to }
}

function daysOf(count: number, unit: string): number {
  return count * ({ week: 7, month: 30, year: 365 }[unit] ?? 1)
}

function weekendSpan(which: string, now: Date): Span {
  const monday = addDays(mondayOf(dayOf(now)), which === 'next' ? 7 : which === 'last' ? -7 : 0)
  return { from: addDays(monday, 5), to: addDays(monday, 6) }
}

function monthSpan(words: string, now: Date, back: boolean): Span | null {
  const match = new RegExp(`^(?:(last|next|this) )?${month}(?: (\\d{4}))?$`).exec(words)
  if (match === null) return null
  const [, which, name = '', year] = match
  const from = monthOf(name, year, now)
  const past = year === undefined && (back || which === 'last') && from > dayOf(now)
  const first = past ? addMonths(from, -12) : from
  return { from: first, to: lastOfMonth(first) }
}

function rangeSpan(words: string, now: Date): Span | null {
  const open = /^(?:until|till|up to) (.+)$/.exec(words)
  const pair = /^(?:from |between )?(.+?)(?: to | until | till | and |\.\.| ?– ?)(.+)$/.exec(words)
  const [first, last] = open ? ['today', open[1]!] : [pair?.[1], pair?.[2]]
  if (first === undefined || last === undefined) return null
  const [from, to] = [readDay(first, now), readDay(last, now)]
  return from !== null && to !== null && from <= to ? { from, to } : null
}
