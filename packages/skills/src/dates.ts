import { casual } from 'chrono-node/en'

/** A local day as `YYYY-MM-DD`, and a time as `HH:MM` or null for the whole day. */
export interface When {
  day: string
  time: string | null
}

/** The local day of an instant, as `YYYY-MM-DD`. */
export function dayOf(date: Date): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

/** The day that many days later, or earlier when negative. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** A sentence without its date. `due` tells whether the date was called a deadline. */
export interface SplitWhen {
  rest: string
  when: When | null
  due: boolean
}

/** Takes a date from the end of a sentence; without one, `rest` is the whole of it. */
export function splitWhen(text: string, now: Date): SplitWhen {
  const sentence = text.trim().replace(/\s+/g, ' ')
  const found = casual.parse(sentence, now, { forwardDate: true }).at(-1)
  const whole: SplitWhen = { rest: sentence, when: null, due: false }
  if (found === undefined || /^(right )?now$/i.test(found.text)) return whole
  if (!/^[.!?]*$/.test(sentence.slice(found.index + found.text.length))) return whole
  const { start } = found
  if (!(['day', 'weekday', 'hour'] as const).some((part) => start.isCertain(part))) return whole
  const date = start.date()
  const time = start.isCertain('hour') ? date.toTimeString().slice(0, 5) : null
  const before = sentence.slice(0, found.index).trimEnd()
  const joint = /(?:^|[\s,])(on|by|at|for|due|due on|due by|deadline)$/i.exec(before)
  return {
    rest: (joint === null ? before : before.slice(0, joint.index)).replace(/[\s,]+$/, ''),
    when: { day: dayOf(date), time },
    due: /due|by|deadline/i.test(`${joint?.[1] ?? ''} ${found.text.split(' ')[0] ?? ''}`),
  }
}

/** Reads a text that is nothing but a date, or returns null. */
export function readWhen(text: string, now: Date): When | null {
  const { rest, when } = splitWhen(text, now)
  return rest === '' ? when : null
}

/** Formats a day as an active Org timestamp, such as `<2026-11-22 Sun 14:00>`. */
export function orgStamp(when: When): string {
  const name = dayName(when.day)
  return `<${when.day} ${name}${when.time === null ? '' : ` ${when.time}`}>`
}

function dayName(day: string): string {
  const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
  return names[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? ''
}

/** Reads the first day, and its time, of an Org timestamp; null when there is none. */
export function readOrgStamp(text: string | null): When | null {
  const match = /[<[](\d{4}-\d{2}-\d{2})(?:[^\]>\d+-]*?(\d{1,2}:\d{2}))?[^\]>]*[\]>]/.exec(
    text ?? '',
  )
  const day = match?.[1]
  if (day === undefined || !isDay(day)) return null
  return { day, time: match?.[2]?.padStart(5, '0') ?? null }
}

function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/** A day as a person would say it: `today`, `tomorrow`, `Wed 25 Nov`, `Fri 1 Jan 2027`. */
export function dayWords(day: string, today: string): string {
  if (day === today) return 'today'
  if (day === addDays(today, 1)) return 'tomorrow'
  if (day === addDays(today, -1)) return 'yesterday'
  const year = day.slice(0, 4)
  return year === today.slice(0, 4) ? dateWords(day) : `${dateWords(day)} ${year}`
}

/** A day by its date alone: `Wed 25 Nov`. */
export function dateWords(day: string): string {
  const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
  const [, month, date] = day.split('-')
  return `${dayName(day)} ${Number(date)} ${months[Number(month) - 1]}`
}
