import { createEnv, noElements, type ParseEnv } from '../environment/env.ts'
import { type OrgDate, type Repeater, Timestamp, type Warning } from '../tree/object-nodes.ts'

const datePattern = /[<[]\d{4}-\d{2}-\d{2}(?=[ \]>])/y
const diaryPattern = /<%%(\([^>\n]+\))([^\n>]*)>/y
const rawPattern = /([<[][^\n]*?)[\]>](?:--([<[]\d{4}-\d{2}-\d{2}(?: [^\n]*?)?)[\]>])?/y

function matchAt(pattern: RegExp, text: string, at: number, end: number): RegExpExecArray | null {
  pattern.lastIndex = at
  const match = pattern.exec(text)
  return match === null || at + match[0].length > end ? null : match
}

/** True when a bracket closes what opens at `at` before the line ends. */
function isClosed(env: ParseEnv, at: number, diary: boolean): boolean {
  const { text, unclosed } = env
  const kind = diary ? 'diary' : 'date'
  if (at < unclosed[kind]) return false
  let end = at + 1
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code === 62 || (code === 93 && !diary)) return true
    if (code === 10) break
  }
  unclosed[kind] = end
  return false
}

/**
 * Parses the timestamp that begins at an offset, within `end`. Returns null when there is none.
 * White space after it is not part of its span: that belongs to the object parser.
 */
export function parseTimestamp(env: ParseEnv, at: number, end: number): Timestamp | null {
  const { text } = env
  const next = text.charCodeAt(at + 1)
  const isDiary = next === 37 && text.startsWith('<%%(', at)
  if (!isDiary && !(next >= 48 && next <= 57 && matchAt(datePattern, text, at, end))) return null
  if (!isClosed(env, at, isDiary)) return null
  const diary = isDiary ? matchAt(diaryPattern, text, at, end) : null
  if (isDiary && diary === null) return null
  const raw = matchAt(rawPattern, text, at, end) ?? matchAt(rawPattern, text.slice(0, end), at, end)
  if (raw === null) return null
  const timestamp = new Timestamp('timestamp', env.origin, at, at + raw[0].length)
  timestamp.rawValue = raw[0]
  if (diary === null) readDates(timestamp, raw[0], raw[1]!, raw[2] ?? null)
  else readDiary(timestamp, diary, raw[2] ?? null)
  return timestamp
}

/** Reads a text that is one timestamp, or begins with one; null when it does not. */
export function readTimestamp(text: string): Timestamp | null {
  if (text[0] !== '<' && text[0] !== '[') return null
  return parseTimestamp(createEnv(text, noElements), 0, text.length)
}

const timePattern = /(\d{4})-(\d{2})-(\d{2})(?: +[^\]+0-9>\r\n -]+)?(?: +(\d{1,2}):(\d{2}))?/
const hoursPattern = /[012]?[0-9]:[0-5][0-9]-([012]?[0-9]):([0-5][0-9])/

function readDates(timestamp: Timestamp, raw: string, first: string, second: string | null): void {
  const active = raw[0] === '<' ? 'active' : 'inactive'
  const hours = hoursPattern.exec(first)
  const start = readDate(first)
  const end = second === null ? start : readDate(second)
  timestamp.timestampType = second === null && hours === null ? active : `${active}-range`
  timestamp.rangeType = second !== null ? 'daterange' : hours !== null ? 'timerange' : null
  timestamp.diarySexp = null
  timestamp.diaryTimes = null
  timestamp.start = start
  const [hour, minute] = second === null ? [null, null] : [end.hour, end.minute]
  timestamp.end = {
    ...end,
    hour: hour ?? numberOrNull(hours?.[1]) ?? start.hour,
    minute: minute ?? numberOrNull(hours?.[2]) ?? start.minute,
  }
  timestamp.repeater = readRepeater(raw)
  timestamp.warning = readWarning(raw)
}

function readDate(text: string): OrgDate {
  const match = timePattern.exec(text)!
  return {
    year: Number(match[1]),
    month: Number(match[2]),
    day: Number(match[3]),
    hour: numberOrNull(match[4]),
    minute: numberOrNull(match[5]),
  }
}

function numberOrNull(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits)
}

const diaryTimes = /([012]?[0-9]):([0-5][0-9])(?:-([012]?[0-9]):([0-5][0-9]))?/

function readDiary(timestamp: Timestamp, diary: RegExpExecArray, second: string | null): void {
  const times = diaryTimes.exec(diary[2]!)
  const hours = hoursPattern.test(diary[2]!) ? 'timerange' : null
  timestamp.timestampType = 'diary'
  timestamp.rangeType = second === null ? hours : 'daterange'
  timestamp.diarySexp = diary[1]!
  timestamp.diaryTimes =
    times === null
      ? null
      : {
          hour: Number(times[1]),
          minute: Number(times[2]),
          endHour: numberOrNull(times[3]),
          endMinute: numberOrNull(times[4]),
        }
  timestamp.start = null
  timestamp.end = null
  timestamp.repeater = null
  timestamp.warning = null
}

const units = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' } as const
const repeaterTypes = { '+': 'cumulate', '++': 'catch-up', '.+': 'restart' } as const

function readRepeater(raw: string): Repeater | null {
  const match = /(\.\+|\+\+?)(\d+)([hdwmy])(?:\/(\d+)([hdwmy]))?/.exec(raw)
  if (match === null) return null
  return {
    type: repeaterTypes[match[1] as keyof typeof repeaterTypes],
    value: Number(match[2]),
    unit: units[match[3] as keyof typeof units],
    deadline:
      match[4] === undefined
        ? null
        : { value: Number(match[4]), unit: units[match[5] as keyof typeof units] },
  }
}

function readWarning(raw: string): Warning | null {
  const match = /(-)?-(\d+)([hdwmy])/.exec(raw)
  if (match === null) return null
  return {
    type: match[1] === undefined ? 'all' : 'first',
    value: Number(match[2]),
    unit: units[match[3] as keyof typeof units],
  }
}

/** How a date is written. */
export interface TimestampStyle {
  /** Angle brackets: the entry shows up in the agenda on that day. */
  active: boolean
  /** With hours and minutes. */
  time?: boolean
}

const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** A date in local time as Org writes it: `<2026-11-21 Sat>` or `[2026-11-21 Sat 09:05]`. */
export function formatTimestamp(date: Date, style: TimestampStyle): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const year = String(date.getFullYear()).padStart(4, '0')
  const day = `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${dayNames[date.getDay()]}`
  const time = style.time ? ` ${two(date.getHours())}:${two(date.getMinutes())}` : ''
  return style.active ? `<${day}${time}>` : `[${day}${time}]`
}
