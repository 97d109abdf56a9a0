import { formatTimestamp } from '../objects/timestamp.ts'
import type { ReadFile } from '../parse/settings.ts'
import { skipBlanks } from '../text/lines.ts'
import type { Headline, OrgData } from '../tree/nodes.ts'
import { type Draft, endOfLine, entryDraft, entryParts, type Patch } from './edit.ts'
import { type LogPlace, type LogPurpose, logEntry, logPlace, writeLog } from './log.ts'
import { plus, type Unit } from './repeat.ts'
import { editSettings } from './settings.ts'

/** Timestamps as written, or bare dates; null removes, a missing key leaves alone. */
export interface PlanningRequest {
  closed?: string | null
  /** A step such as `+3d`, `++1w` or `+fri 9:00` counts from `now`, or from the date that is there. */
  deadline?: string | null
  scheduled?: string | null
  /** When this happens, for steps and for the log entries that the file may want. */
  now?: Date
  /** The text of the note, where the file wants one. */
  note?: string
  /** Words of `#+STARTUP:` that count before the file's own. */
  startup?: string
  /** Gives the text of a file named in `#+SETUPFILE:`, or null. */
  readFile?: ReadFile
}

/**
 * Patches that set or remove the dates of a headline. Empty when nothing changes.
 * Throws a RangeError for a date that is none.
 */
export function setPlanning(
  text: string,
  tree: OrgData,
  headline: Headline,
  request: PlanningRequest,
): Patch[] {
  const draft = entryDraft(text, headline)
  const settings = editSettings(text, tree, request.startup, request.readFile)
  const place = logPlace(tree, headline, settings)
  for (const key of ['scheduled', 'deadline'] as const) {
    const wanted = request[key]
    if (wanted === undefined) continue
    const old = dateOf(draft.text, key)
    const stamp =
      wanted === null
        ? removeDate(draft, key, old)
        : reschedule(draft, key, old, relativeDate(draft, key, wanted, request.now) ?? wanted)
    const log = settings.log[key === 'deadline' ? 'redeadline' : 'reschedule']
    if (old === null || old === stamp || log === null) continue
    logDate(draft, place, `${stamp === null ? 'del' : 're'}${verbs[key]}`, old, request)
  }
  if (request.closed === null) removePlanning(draft, ['closed'])
  else if (request.closed !== undefined) {
    addPlanning(draft, 'closed', written(request.closed, false).stamp)
  }
  return draft.patches()
}

const verbs = { deadline: 'deadline', scheduled: 'schedule' } as const

function logDate(
  draft: Draft,
  place: LogPlace,
  purpose: LogPurpose,
  before: string,
  { now, note }: PlanningRequest,
): void {
  if (now === undefined) return
  writeLog(
    draft,
    place,
    logEntry(purpose, now, { before, ...(note === undefined ? {} : { note }) }),
  )
}

const stampPattern =
  /^\s*([<[]?)(\d{4})-(\d\d)-(\d\d)(?: +[^\d\s>\]+-]+)?(?: +(\d{1,2}):(\d\d)(?:--?(\d{1,2}):(\d\d))?)?((?: +[.+-]+\d+[hdwmy](?:\/\d+[hdwmy])?)*) *[>\]]?\s*$/
const cookiePattern = /[.+-]+\d+[hdwmy](?:[/ ][-+]?\d+[hdwmy])?/

/** The date as Emacs writes it, and its cookies as they were. Throws a RangeError for no date. */
function written(wanted: string, active: boolean): { stamp: string; cookies: string } {
  const match = stampPattern.exec(wanted)
  const [, bracket, year, month, day, hour, minute, endHour, endMinute, cookies] = match ?? []
  const valid = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31
  if (match === null || !valid || (bracket === '' && cookies !== '')) {
    throw new RangeError(`${JSON.stringify(wanted)} is no date such as <2026-11-21 Sat 09:05>`)
  }
  const date = new Date(0)
  date.setFullYear(Number(year), Number(month) - 1, Number(day))
  date.setHours(Number(hour ?? 0), Number(minute ?? 0), 0, 0)
  const until = endHour === undefined ? '' : `-${endHour.padStart(2, '0')}:${endMinute}`
  const stamp = formatTimestamp(date, { active, time: hour !== undefined })
  return { stamp: stamp.slice(0, -1) + until + stamp.slice(-1), cookies: cookies! }
}

function reschedule(draft: Draft, key: PlanningKey, old: string | null, wanted: string): string {
  const { stamp, cookies } = written(wanted, true)
  const kept = cookiePattern.exec(cookies) ?? cookiePattern.exec(old?.slice(11) ?? '')
  addPlanning(draft, key, kept === null ? stamp : `${stamp.slice(0, -1)} ${kept[0]}>`)
  return stamp
}

const stepPattern =
  /^[ \t]*([-+]{0,2})(\d+)?([hdwmy]|(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?)?(?:[ \t]+(\d{1,2}:\d\d(?:-\d{1,2}:\d\d)?))?[ \t]*$/i

/** The date that a step leads to, as written; null for what is no step. */
function relativeDate(
  draft: Draft,
  key: PlanningKey,
  wanted: string,
  now: Date | undefined,
): string | null {
  const match = stepPattern.exec(wanted.trim() === '.' ? '+0' : wanted)
  const [, signs = '', digits = '1', unit = 'd', hours] = match ?? []
  if (match === null || (signs === '' && unit.length === 1) || /^[A-Z]$/.test(unit)) return null
  if (now === undefined) throw new RangeError(`${JSON.stringify(wanted)} is a step from no date`)
  const old = /^[-+]+\d/.test(wanted) ? firstDate(draft, key) : null
  const from = signs.length === 2 && old !== null ? old : now
  const way = signs.endsWith('-') ? -1 : 1
  if (unit === 'h') return hourStep(from, old ?? now, way * Number(digits), hours)
  const end =
    unit.length > 1
      ? plus(from, 'd', daysUntil(from, unit, way, Number(digits)))
      : plus(from, unit as Unit, way * Number(digits))
  const day = formatTimestamp(end, { active: false }).slice(1, 11)
  return hours === undefined ? day : `${day} ${hours}`
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

function daysUntil(from: Date, name: string, way: 1 | -1, count: number): number {
  const ahead = weekdays.indexOf(name.slice(0, 3).toLowerCase()) - from.getDay()
  const days = (((way * ahead) % 7) + 7) % 7
  return way * ((days === 0 ? 7 : days) + 7 * Math.max(0, count - 1))
}

function hourStep(from: Date, clock: Date, count: number, hours: string | undefined): string {
  const [hour, minute] = hours?.split(/[:-]/).map(Number) ?? []
  const date = new Date(from)
  date.setHours((hour ?? clock.getHours()) + count, minute ?? clock.getMinutes(), 0, 0)
  return formatTimestamp(date, { active: true, time: true })
}

function firstDate(draft: Draft, key: PlanningKey): Date | null {
  const { planning } = entryParts(draft.text)
  if (planning === null) return null
  const line = draft.text.slice(planning.begin, planning.end)
  const pattern = /\b([A-Z]+): *<(\d{4})-(\d\d)-(\d\d)(?: +[^\d\s>\]+-]+)?(?: +(\d{1,2}):(\d\d))?/g
  for (const [, word, year, month, day, hour = 0, minute = 0] of line.matchAll(pattern)) {
    if (word !== key.toUpperCase()) continue
    const date = new Date(0)
    date.setFullYear(Number(year), Number(month) - 1, Number(day))
    date.setHours(Number(hour), Number(minute), 0, 0)
    return date
  }
  return null
}

/**
 * Patches that set how many days before a deadline to warn, or how many to delay a scheduled
 * task; null removes the warning. Throws a RangeError for no such date or no number of days.
 */
export function setWarning(
  text: string,
  headline: Headline,
  key: 'deadline' | 'scheduled',
  days: number | null,
): Patch[] {
  if (days !== null && !(Number.isSafeInteger(days) && days >= 0)) {
    throw new RangeError(`${days} is no number of days`)
  }
  const draft = entryDraft(text, headline)
  const { planning } = entryParts(draft.text)
  const pattern = key === 'deadline' ? /\bDEADLINE: *<([^>]+)>/ : /\bSCHEDULED: *<([^>]+)>/
  const match = planning && pattern.exec(draft.text.slice(planning.begin, planning.end))
  if (match === null) throw new RangeError(`The headline has no ${key} date`)
  const begin = planning!.begin + match.index
  const rest = match[1]!.replace(/ -\d+[hdwmy]/g, '')
  if (days === null && rest === match[1]) return []
  const warning = days === null ? '' : ` -${days}d`
  draft.replace(begin, begin + match[0].length, `${key.toUpperCase()}: <${rest}${warning}>`)
  return draft.patches()
}

type PlanningKey = 'closed' | 'deadline' | 'scheduled'

/** The date of a kind on a draft's planning line, or null. */
export function dateOf(text: string, key: PlanningKey): string | null {
  const { planning } = entryParts(text)
  if (planning === null) return null
  const line = text.slice(planning.begin, planning.end)
  const at = line.lastIndexOf(`${key.toUpperCase()}:`)
  if (at === -1) return null
  const match = /^[ \t]*([<[]\d{4}-\d\d-\d\d(?: [^\n]*?)?[\]>])/.exec(
    line.slice(at + key.length + 1),
  )
  return match?.[1] ?? null
}

/** Writes a date to the front of a draft's planning line; any but CLOSED takes CLOSED away. */
export function addPlanning(draft: Draft, key: PlanningKey, stamp: string): void {
  const { lineEnd, planning } = entryParts(draft.text)
  const words = `${key.toUpperCase()}: ${stamp}`
  if (planning === null) {
    draft.replace(lineEnd, lineEnd, `\n${words}`)
    return
  }
  cutDates(draft, key === 'closed' ? ['closed'] : [key, 'closed'])
  const begin = skipBlanks(draft.text, planning.begin)
  const empty = begin === endOfLine(draft.text, begin)
  draft.replace(begin, begin, empty ? words : `${words} `)
}

/** Takes dates off a draft's planning line; the line goes with the last of them. */
export function removePlanning(draft: Draft, keys: readonly PlanningKey[]): void {
  if (entryParts(draft.text).planning === null) return
  cutDates(draft, keys)
  const { lineEnd, planning } = entryParts(draft.text)
  const begin = lineEnd + 1
  const end = endOfLine(draft.text, begin)
  if (skipBlanks(draft.text, begin) === end) draft.replace(lineEnd, end, '')
  else if (planning === null && draft.text[begin] === '*') draft.replace(begin, begin, ' ')
}

const datePatterns: Record<PlanningKey, RegExp> = {
  closed: /\bCLOSED: *\[[^[\]\n]+\](?:--\[[^[\]\n]+\])?[ \t]*/,
  deadline: /\bDEADLINE: *<[^<>\n]+>(?:--<[^<>\n]+>)?[ \t]*/,
  scheduled: /\bSCHEDULED: *<[^<>\n]+>(?:--<[^<>\n]+>)?[ \t]*/,
}

function cutDates(draft: Draft, keys: readonly PlanningKey[]): void {
  const begin = entryParts(draft.text).planning!.begin
  for (const key of keys) {
    const line = draft.text.slice(begin, endOfLine(draft.text, begin))
    const match = datePatterns[key].exec(line)
    if (match === null) continue
    const at = begin + match.index
    draft.replace(at, at + match[0].length, '')
  }
  const end = endOfLine(draft.text, begin)
  const content = skipBlanks(draft.text, begin)
  const trimmed = content + draft.text.slice(content, end).trimEnd().length
  if (trimmed < end) draft.replace(trimmed, end, '')
}

function removeDate(draft: Draft, key: 'deadline' | 'scheduled', old: string | null): null {
  if (old !== null) cutKeyword(draft, key)
  return null
}

/** Removes all dates of a kind from a draft's planning line, as `org-schedule` does. */
export function cutKeyword(draft: Draft, key: 'deadline' | 'scheduled'): void {
  const { lineEnd, planning } = entryParts(draft.text)
  if (planning === null) return
  const pattern = new RegExp(`\\b${key.toUpperCase()}: +<[^<>\\n]+>(?:--<[^<>\\n]+>)?[ \\t]*`, 'g')
  const line = draft.text.slice(planning.begin, planning.end)
  for (const match of [...line.matchAll(pattern)].reverse()) {
    let begin = planning.begin + match.index
    const before = draft.text.slice(planning.begin, begin)
    if (before.trim() !== '' && before.endsWith(' ')) begin--
    draft.replace(begin, planning.begin + match.index + match[0].length, '')
  }
  const end = endOfLine(draft.text, planning.begin)
  if (draft.text.slice(planning.begin, end).trim() === '') {
    draft.replace(lineEnd + 1, Math.min(end + 1, draft.text.length), '')
  } else if (/^\*+ /.test(draft.text.slice(planning.begin, end))) {
    draft.replace(planning.begin, planning.begin, ' ')
  }
}
