import type { Draft } from '../tree/draft.ts'
import type { OrgDate, Timestamp } from '../tree/object-nodes.ts'

/** The text of a timestamp, or nothing when it has no date. */
export function printTimestamp(node: Draft<Timestamp>): string {
  const kind = node.timestampType ?? 'active'
  if (kind === 'diary') return printDiary(node)
  const { start } = node
  if (start == null) return ''
  const end = node.end ?? start
  const open = kind.startsWith('inactive') ? '[' : '<'
  const close = cookies(node) + (open === '[' ? ']' : '>')
  const first = open + date(start)
  if (!kind.endsWith('-range')) {
    const differs = hasTime(start) && hasTime(end) && clock(start) !== clock(end)
    return first + (differs ? `-${clock(end)}` : '') + close
  }
  if (rangeType(node, start, end) === 'timerange') return `${first}-${clock(end)}${close}`
  return `${first}${close}--${open}${date(end)}${close}`
}

const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function date(written: Draft<OrgDate>): string {
  const moment = new Date(0)
  moment.setUTCFullYear(written.year, written.month - 1, written.day)
  if (hasTime(written)) moment.setUTCHours(written.hour ?? 0, written.minute ?? 0)
  const day = `${moment.toISOString().slice(0, 10)} ${dayNames[moment.getUTCDay()]}`
  return hasTime(written) ? `${day} ${moment.toISOString().slice(11, 16)}` : day
}

function hasTime(written: Draft<OrgDate>): boolean {
  return written.hour != null && written.minute != null
}

function clock(written: Draft<OrgDate>): string {
  return `${two(written.hour ?? 0)}:${two(written.minute ?? 0)}`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

const repeaterMarks = { cumulate: '+', 'catch-up': '++', restart: '.+' } as const

function cookies(node: Draft<Timestamp>): string {
  let text = ''
  const { repeater, warning } = node
  if (repeater) {
    text += ` ${repeaterMarks[repeater.type]}${repeater.value}${repeater.unit[0]}`
    if (repeater.deadline) text += `/${repeater.deadline.value}${repeater.deadline.unit[0]}`
  }
  if (warning) {
    text += ` ${warning.type === 'all' ? '-' : '--'}${warning.value}${warning.unit[0]}`
  }
  return text
}

function rangeType(node: Draft<Timestamp>, start: Draft<OrgDate>, end: Draft<OrgDate>) {
  const sameDay = start.year === end.year && start.month === end.month && start.day === end.day
  const hours = /\d:\d\d-\d/.test(node.rawValue ?? '') && !/--[<[]/.test(node.rawValue ?? '')
  const given = node.rangeType ?? (hours ? 'timerange' : 'daterange')
  return sameDay ? given : 'daterange'
}

function printDiary(node: Draft<Timestamp>): string {
  const match = /^<%%(\([^>\n]+\))([^\n>]*)>$/.exec(node.rawValue ?? '')
  const sexp = node.diarySexp ?? match?.[1] ?? ''
  const time = /([012]?\d):([0-5]\d)(?:-([012]?\d):([0-5]\d))?/.exec(match?.[2] ?? '')
  if (time === null) return `<%%${sexp}>`
  const begin = ` ${time[1]!.padStart(2, '0')}:${time[2]}`
  const end = time[3] === undefined ? '' : `-${time[3].padStart(2, '0')}:${time[4]}`
  return `<%%${sexp}${begin}${end}>`
}
