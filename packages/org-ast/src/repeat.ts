import type { Repeater, Timestamp } from './nodes.ts'
import { formatTimestamp } from './timestamp.ts'

/** The timestamp as written for the next time, or null when it has no repeater or no date. */
export function nextOccurrence(timestamp: Timestamp, now: Date): string | null {
  const { start, repeater, rawValue } = timestamp
  if (start === null || repeater === null || repeater.value === 0) return null
  const old = new Date(start.year, start.month - 1, start.day, start.hour ?? 0, start.minute ?? 0)
  const date = shifted(old, repeater, now)
  const day = formatTimestamp(date, { active: true }).slice(1, -1)
  const dated = rawValue.replace(/\d{4}-\d\d-\d\d(?: [^\s\d>\]+-]+)?/, day)
  if (repeater.unit !== 'hour') return dated
  const time = formatTimestamp(date, { active: true, time: true }).slice(-6, -1)
  return dated.replace(/\d{1,2}:\d\d/, time)
}

function shifted(old: Date, repeater: Repeater, now: Date): Date {
  if (repeater.type === 'cumulate') return plus(old, repeater, 1)
  if (repeater.type === 'restart') {
    if (repeater.unit === 'hour') return plus(now, repeater, 1)
    const today = new Date(now.getFullYear(), now.getMonth(), now.getDate())
    today.setHours(old.getHours(), old.getMinutes())
    return plus(today, repeater, 1)
  }
  let date = plus(old, repeater, 1)
  for (let times = 2; date <= now; times++) date = plus(old, repeater, times)
  return date
}

function plus(date: Date, { value, unit }: Repeater, times: number): Date {
  const result = new Date(date)
  const count = value * times
  if (unit === 'hour') result.setHours(date.getHours() + count)
  else if (unit === 'day') result.setDate(date.getDate() + count)
  else if (unit === 'week') result.setDate(date.getDate() + 7 * count)
  else if (unit === 'month') result.setMonth(date.getMonth() + count)
  else result.setFullYear(date.getFullYear() + count)
  return result
}
