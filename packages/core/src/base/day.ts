/** A day of the calendar, counted from 1970-01-01. */
export type DayNumber = number

const dayMs = 86_400_000

/** The number of a day that is written `YYYY-MM-DD`; NaN when it is not. */
export function dayNumber(day: string): DayNumber {
  const match = /^(\d{4})-(\d\d)-(\d\d)/.exec(day)
  if (match === null) return Number.NaN
  const [year, month, date] = match.slice(1).map(Number)
  return Date.UTC(year!, month! - 1, date) / dayMs
}

/** A day as `YYYY-MM-DD`. */
export function dayText(day: DayNumber): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** The day on which an instant falls for whoever is here. */
export function localDay(date: Date): DayNumber {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / dayMs
}

/** Whether a repetition of a timestamp, after its own day, falls on a day. */
export function repetitionsOf(stamp: string): (day: DayNumber) => boolean {
  const [, digits = '0', unit = 'd'] = /\+(\d+)([hdwmy])/.exec(stamp) ?? []
  const value = Number(digits)
  const base = dayNumber(stamp.replace(/^[<[]/, ''))
  if (value === 0 || Number.isNaN(base)) return () => false
  if (unit === 'h') return hourly(stamp, base, value)
  if (unit === 'd' || unit === 'w') {
    const days = unit === 'w' ? 7 * value : value
    return (day) => day > base && (day - base) % days === 0
  }
  return monthly(base, unit === 'y' ? 12 * value : value)
}

function hourly(stamp: string, base: DayNumber, value: number): (day: DayNumber) => boolean {
  const hour = Number(/ (\d{1,2}):\d\d/.exec(stamp)?.[1] ?? 0)
  return (day) => {
    const missing = (24 * (day - base) - hour) % value
    return day > base && (missing === 0 || value - missing < 24)
  }
}

function monthly(base: DayNumber, months: number): (day: DayNumber) => boolean {
  const first = new Date(base * dayMs)
  const [year, month, date] = [first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()]
  const at = (count: number) => Date.UTC(year, month + count, date) / dayMs
  return (day) => {
    if (day <= base) return false
    const then = new Date(day * dayMs)
    const gone = 12 * (then.getUTCFullYear() - year) + then.getUTCMonth() - month
    const whole = gone - (then.getUTCDate() > date ? 0 : 1)
    const complete = Math.floor(whole / months) * months
    return at(complete) === day || at(complete + months) === day
  }
}

const spanMax = 3_700

/** Whether a timestamp or one of its repetitions falls between two days, both included. */
export function repeatsWithin(stamp: string, from: DayNumber, to: DayNumber): boolean {
  const base = dayNumber(stamp.replace(/^[<[]/, ''))
  if (base >= from && base <= to) return true
  if (base > to || !/\+[1-9]\d*[hdwmy]/.test(stamp)) return false
  const repeats = repetitionsOf(stamp)
  const last = Math.min(to, Math.max(from, base) + spanMax)
  for (let day = Math.max(from, base); day <= last; day++) if (repeats(day)) return true
  return false
}

/** The days of the warning or delay in a timestamp; null when it has none. */
export function leadDays(stamp: string): number | null {
  const match = /-(\d+)([hdwmy])(?=>| |$)/.exec(stamp)
  if (match === null) return null
  const unit = { h: 0.041667, d: 1, w: 7, m: 30.4, y: 365.25 }[match[2] as 'd']
  return Math.floor(Number(match[1]) * unit)
}
