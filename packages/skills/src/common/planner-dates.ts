import { casual } from 'chrono-node/en'
import {
  type Doubt,
  month,
  monthOf,
  nextWeekday,
  numberOf,
  numberWords,
  type Parts,
  periodOf,
  readPhrase,
  type Span,
  weekday,
  weekendSpan,
} from './date-grammar.ts'
import { addDays, addMonths, dayOf, lastOfMonth, type Stamp } from './dates.ts'

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
