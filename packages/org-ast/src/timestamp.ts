import type { ParseEnv } from './env.ts'
import type { OrgDate, Repeater, Timestamp, Warning } from './nodes.ts'

const stampPattern =
  /[<[](\d{4})-(\d{2})-(\d{2})(?: +[^\]+0-9>\r\n -]+)?(?: +(\d{1,2}):(\d{2})(?:-(\d{1,2}):(\d{2}))?)?((?: +(?:\.\+|\+\+|\+|--|-)\d+[hdwmy](?:\/\d+[hdwmy])?)*) *[\]>]/y

const diaryPattern = /<%%\([^>\n]*\)>/y

/**
 * Parses the timestamp that begins at an offset, within `end`. Returns null when there is none.
 * White space after it is not part of its span: that belongs to the object parser.
 */
export function parseTimestamp(
  text: string,
  begin: number,
  env: ParseEnv,
  end: number = text.length,
): Timestamp | null {
  if (text.charCodeAt(begin) === 60 && text.startsWith('<%%(', begin)) {
    return parseDiary(text, begin, env, end)
  }
  const first = stampAt(text, begin, end)
  if (first === null) return null
  let after = begin + first.length
  let second: Stamp | null = null
  if (text.startsWith('--', after)) {
    second = stampAt(text, after + 2, end)
    if (second !== null && second.active !== first.active) second = null
    if (second !== null) after += 2 + second.length
  }
  const last = second?.end ?? second?.start ?? first.end
  const kind = first.active ? 'active' : 'inactive'
  return {
    type: 'timestamp',
    position: env.lines.position(begin, after),
    postBlank: 0,
    timestampType: last === null ? kind : `${kind}-range`,
    rawValue: text.slice(begin, after),
    start: first.start,
    end: last ?? first.start,
    repeater: first.repeater,
    warning: first.warning,
  }
}

function parseDiary(text: string, begin: number, env: ParseEnv, end: number): Timestamp | null {
  diaryPattern.lastIndex = begin
  const match = diaryPattern.exec(text)
  if (match === null || begin + match[0].length > end) return null
  return {
    type: 'timestamp',
    position: env.lines.position(begin, begin + match[0].length),
    postBlank: 0,
    timestampType: 'diary',
    rawValue: match[0],
    start: null,
    end: null,
    repeater: null,
    warning: null,
  }
}

interface Stamp {
  length: number
  active: boolean
  start: OrgDate
  /** The end time of a range within one bracket, or null. */
  end: OrgDate | null
  repeater: Repeater | null
  warning: Warning | null
}

function stampAt(text: string, begin: number, end: number): Stamp | null {
  stampPattern.lastIndex = begin
  const match = stampPattern.exec(text)
  if (match === null || begin + match[0].length > end) return null
  const active = match[0][0] === '<'
  if (match[0].at(-1) !== (active ? '>' : ']')) return null
  const day = { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) }
  const start = { ...day, hour: numberOrNull(match[4]), minute: numberOrNull(match[5]) }
  const hasEnd = match[6] !== undefined
  return {
    length: match[0].length,
    active,
    start,
    end: hasEnd ? { ...day, hour: Number(match[6]), minute: Number(match[7]) } : null,
    ...readCookies(match[8]!),
  }
}

function numberOrNull(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits)
}

const units = { h: 'hour', d: 'day', w: 'week', m: 'month', y: 'year' } as const
const repeaterTypes = { '+': 'cumulate', '++': 'catch-up', '.+': 'restart' } as const

function readCookies(text: string): { repeater: Repeater | null; warning: Warning | null } {
  let repeater: Repeater | null = null
  let warning: Warning | null = null
  for (const match of text.matchAll(/(\.\+|\+\+|\+|--|-)(\d+)([hdwmy])/g)) {
    const mark = match[1]!
    const value = Number(match[2])
    const unit = units[match[3] as keyof typeof units]
    if (mark === '-' || mark === '--') {
      warning ??= { type: mark === '-' ? 'all' : 'first', value, unit }
    } else {
      repeater ??= { type: repeaterTypes[mark as keyof typeof repeaterTypes], value, unit }
    }
  }
  return { repeater, warning }
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
