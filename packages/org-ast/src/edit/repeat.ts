import { formatTimestamp } from '../objects/timestamp.ts'
import type { Patch } from './edit.ts'

const repeaterPattern = /([.+]?)\+(\d+)([hdwmy])/

/** How many units a timestamp repeats after; 0 when it does not repeat. */
export function repeatsEvery(stamp: string): number {
  return Number(repeaterPattern.exec(stamp.slice(11))?.[2] ?? 0)
}

/** The timestamp as written for the next time, or null when it has no repeater or no date. */
export function nextOccurrence(stamp: string, now: Date): string | null {
  const date = /^.(\d{4})-(\d\d)-(\d\d)(?: +[^\]\d>\r\n -]+)?(?: +(\d{1,2}):(\d\d))?/.exec(stamp)
  const repeater = repeaterPattern.exec(stamp.slice(11))
  if (date === null || repeater === null || repeatsEvery(stamp) === 0) return null
  const timed = date[4] !== undefined
  const unit = repeater[3] as Unit
  if (unit === 'h' && !timed) return null
  const old = new Date(0)
  old.setFullYear(Number(date[1]), Number(date[2]) - 1, Number(date[3]))
  old.setHours(Number(date[4] ?? 0), Number(date[5] ?? 0), 0, 0)
  const next = shifted(old, { kind: repeater[1]!, count: Number(repeater[2]), unit }, now)
  if (!(next.getFullYear() <= 9999)) return null
  const written = formatTimestamp(next, { active: stamp[0] === '<', time: timed })
  return written.slice(0, -1) + cookies(stamp, unit, old, next) + written.slice(-1)
}

const cookiesPattern =
  /((?:-[012]?\d:[0-5]\d)?)((?: +[.+]?-?[-+]\d+[hdwmy](?:\/\d+[hdwmy])?)*)[\]>]/

function cookies(stamp: string, unit: Unit, old: Date, next: Date): string {
  const match = cookiesPattern.exec(stamp)
  const rest = (match?.[2] ?? '').replace(/ --\d+[hdwmy]/g, '')
  const end = match?.[1] ?? ''
  if (end === '' || unit !== 'h') return end + rest
  const minutes = (date: Date) => date.getHours() * 60 + date.getMinutes()
  const [, endHour, endMinute] = /^-(\d+):(\d+)$/.exec(end)!
  const until = Number(endHour) * 60 + Number(endMinute) + minutes(next) - minutes(old)
  const [hour, minute] = [Math.floor(until / 60) + 24, until - Math.floor(until / 60) * 60]
  return `-${two(hour % 24)}:${two(minute)}${rest}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

/** Patches that set the repeaters of all active timestamps in a text to zero. */
export function cancelRepeaters(text: string): Patch[] {
  const patches: Patch[] = []
  for (const { index, 0: stamp } of text.matchAll(/<\d{4}-\d\d-\d\d[^\n<>]*>/g)) {
    const last = [...stamp.matchAll(/[ \t]+[.+]?\+(\d+)[hdwmy]/g)].at(-1)
    if (last === undefined || last[1] === '0') continue
    const end = index + last.index + last[0].length - 1
    patches.push({ begin: end - last[1]!.length, end, text: '0' })
  }
  return patches
}

/** Hours, days, weeks, months, years. */
export type Unit = 'h' | 'd' | 'w' | 'm' | 'y'

interface Repeater {
  kind: string
  count: number
  unit: Unit
}

function shifted(old: Date, { kind, count, unit }: Repeater, now: Date): Date {
  if (kind === '') return plus(old, unit, count)
  if (kind === '.') {
    if (unit === 'h') return plus(now, unit, count)
    const today = new Date(now.getFullYear(), now.getMonth(), now.getDate())
    today.setHours(old.getHours(), old.getMinutes())
    return plus(today, unit, count)
  }
  const limit = unit === 'h' ? now : new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
  let date = old
  do date = plus(leapt(date, unit, count, now), unit, count)
  while (unit === 'h' ? date <= limit : date < limit)
  return plus(plus(date, unit, -count), unit, count)
}

/** The date after all steps that end long before now, when they need not be taken one by one. */
function leapt(date: Date, unit: Unit, count: number, now: Date): Date {
  const days = (now.getTime() - date.getTime()) / 86_400_000 - 1000
  if (days < 0) return date
  if (unit === 'h' || unit === 'd') return plus(date, 'd', Math.floor(days / count) * count)
  if (unit === 'w') return plus(date, 'd', Math.floor(days / (7 * count)) * 7 * count)
  if (date.getDate() > 28) return date
  const steps = Math.floor(days / (unit === 'y' ? 366 : 31) / count)
  return plus(date, unit, steps * count)
}

/** The date so many units later, in local time; a day that the month lacks runs into the next. */
export function plus(date: Date, unit: Unit, count: number): Date {
  const result = new Date(date)
  if (unit === 'h') result.setHours(date.getHours() + count)
  else if (unit === 'd') result.setDate(date.getDate() + count)
  else if (unit === 'w') result.setDate(date.getDate() + 7 * count)
  else if (unit === 'm') result.setMonth(date.getMonth() + count)
  else result.setFullYear(date.getFullYear() + count)
  return result
}
