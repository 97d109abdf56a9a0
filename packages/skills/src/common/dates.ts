/** A local day as `YYYY-MM-DD`, and a time as `HH:MM` or null for the whole day. */
interface When {
  day: string
  time: string | null
}

/** A day as it is written into a file: perhaps until a time, perhaps again. */
export interface Stamp extends When {
  /** The time at which it ends, or null. */
  end: string | null
  /** A repeater such as `+1w`, or null. */
  repeat: string | null
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

/** How many days `to` is after `from`; negative when it is before. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000
}

/** The day of the week, from 0 for Sunday. */
export function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay()
}

/** The last day of the month that a day is in. */
export function lastOfMonth(day: string): string {
  const [year, month] = day.split('-').map(Number)
  return new Date(Date.UTC(year!, month!, 0)).toISOString().slice(0, 10)
}

/** The same day so many months later, or the last of that month when it is shorter. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split('-').map(Number)
  const first = new Date(Date.UTC(year!, month! - 1 + months, 1)).toISOString().slice(0, 10)
  return addDays(first, Math.min(date!, Number(lastOfMonth(first).slice(8))) - 1)
}

/** Formats a day as an active Org timestamp, such as `<2026-11-22 Sun 14:00-15:30 +1w>`. */
export function orgStamp(when: When & Partial<Stamp>): string {
  const { day, time, end = null, repeat = null } = when
  const hours = time === null ? '' : ` ${time}${end === null ? '' : `-${end}`}`
  return `<${day} ${dayName(day)}${hours}${repeat === null ? '' : ` ${repeat}`}>`
}

function dayName(day: string): string {
  return ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][weekdayOf(day)] ?? ''
}

const hoursPattern = /^[^\]>\d+-]*?(\d{1,2}:\d{2})(?:--?(\d{1,2}:\d{2}))?/

/** Reads the first day of an Org timestamp with what is written beside it; null when there is none. */
export function readOrgStamp(text: string | null): Stamp | null {
  const match = /[<[](\d{4}-\d{2}-\d{2})([^\]>]*)[\]>]/.exec(text ?? '')
  const [, day, rest = ''] = match ?? []
  if (day === undefined || !isDay(day)) return null
  const hours = hoursPattern.exec(rest)
  const repeat = /(?:^| )([.+]?\+\d+[hdwmy])/.exec(rest)?.[1] ?? null
  const [time, end] = [hours?.[1], hours?.[2]].map((hour) => hour?.padStart(5, '0') ?? null)
  return { day, time: time ?? null, end: end ?? null, repeat }
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

/** What a timestamp says besides its day: ` at 14:00`, ` from 14:00 to 15:30`, ` every 2 weeks`. */
export function hoursWords({ time, end, repeat }: Stamp): string {
  const hours = time === null ? '' : end === null ? ` at ${time}` : ` from ${time} to ${end}`
  const match = /^([.+]?)\+(\d+)([hdwmy])$/.exec(repeat ?? '')
  if (match === null) return hours
  const unit = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' }[match[3]!]
  const often = match[2] === '1' ? `every ${unit}` : `every ${match[2]} ${unit}s`
  return `${hours}, ${often}${match[1] === '.' ? ' after it is done' : ''}`
}
