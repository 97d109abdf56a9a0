import type { MemoryObject } from '@passepartout/core'
import type { Span } from '../common/date-grammar.ts'
import { addDays, dateWords, dayOf, dayWords, readOrgStamp } from '../common/dates.ts'
import {
  aligned,
  placeOf,
  shorten,
  titleWords,
  visible,
  withoutLinks,
} from '../common/note-text.ts'
import { spanWords } from './agenda.ts'

interface Past {
  day: string
  time: string | null
  kind: string
  text: string
  place: string
}

function closedOf(object: MemoryObject): Past[] {
  const when = readOrgStamp(object.closed)
  return when === null || !object.done
    ? []
    : [past(object, when, object.todo?.toLowerCase() ?? 'done')]
}

function past(
  object: MemoryObject,
  when: { day: string; time: string | null },
  kind: string,
): Past {
  return { day: when.day, time: when.time, kind, text: titleWords(object), place: placeOf(object) }
}

const statePattern = /^[ \t]*- State "([^"\s]+)"[ \t]+from[^[\n]*(\[\d{4}-\d\d-\d\d[^\]\n]*\])/gm

function loggedOf(object: MemoryObject, doneWords: ReadonlySet<string>): Past[] {
  const closed = readOrgStamp(object.closed)
  return [...object.content.matchAll(statePattern)].flatMap(([, word = '', stamp = '']) => {
    const when = readOrgStamp(stamp)
    if (when === null || !doneWords.has(word)) return []
    const isClosing = closed?.day === when.day && closed.time === when.time
    return isClosing ? [] : [past(object, when, word.toLowerCase())]
  })
}

function repeatedOf(object: MemoryObject, logged: readonly Past[]): Past[] {
  const when = readOrgStamp(object.attributes.LAST_REPEAT ?? null)
  if (when === null || logged.some(({ day }) => day === when.day)) return []
  return [past(object, when, 'done')]
}

const clockPattern = /^[ \t]*CLOCK:[ \t]*(\[[^\]\n]+\])--\[[^\]\n]+\][ \t]*=>[ \t]*(\d+):(\d\d)/gm

function clockedOf(object: MemoryObject): Past[] {
  const minutes = new Map<string, number>()
  for (const [, stamp = '', hours, rest] of object.content.matchAll(clockPattern)) {
    const day = readOrgStamp(stamp)?.day
    if (day === undefined) continue
    minutes.set(day, (minutes.get(day) ?? 0) + Number(hours) * 60 + Number(rest))
  }
  return [...minutes].map(([day, sum]) => {
    const length = `${Math.floor(sum / 60)}:${String(sum % 60).padStart(2, '0')}`
    return past(object, { day, time: null }, `${length} h`)
  })
}

function journalOf(object: MemoryObject, byId: ReadonlyMap<string, MemoryObject>): Past[] {
  const day = /^(\d{4}-\d\d-\d\d)(?: |$)/.exec(object.title)?.[1]
  if (day === undefined || object.todo !== null) return []
  const entries = object.children.flatMap((id) => byId.get(id) ?? [])
  const lines = entries.length > 0 ? entries : [object]
  return lines.flatMap((entry) => {
    const said = entry === object ? firstLine(object.content) : titleWords(entry)
    const kind = 'journal'
    return said === '' ? [] : [{ day, time: null, kind, text: said, place: placeOf(entry) }]
  })
}

function firstLine(content: string): string {
  const lines = content.split('\n').map((line) => line.trim())
  return withoutLinks(lines.find((line) => line !== '' && !/^[:#]|^[A-Z]+:/.test(line)) ?? '')
}

/** What was done in a span of days, as text for a terminal. */
export function historyText(objects: Iterable<MemoryObject>, span: Span, now: Date): string {
  const seen = visible(objects).filter(({ type }) => type === 'headline')
  const byId = new Map(seen.map((object) => [object.id, object]))
  const finished = seen.flatMap(({ done, todo }) => (done && todo !== null ? [todo] : []))
  const doneWords = new Set(['DONE', 'CANCELLED', ...finished])
  const events = seen.flatMap((object) => {
    const logged = loggedOf(object, doneWords)
    const dated = [...closedOf(object), ...logged, ...repeatedOf(object, logged)]
    return [...dated, ...clockedOf(object), ...journalOf(object, byId)]
  })
  const today = dayOf(now)
  const sections: string[] = []
  for (let day = span.from; day <= span.to; day = addDays(day, 1)) {
    const own = events.filter((event) => event.day === day)
    if (own.length > 0) sections.push(daySection(day, own, today))
  }
  return sections.join('\n\n') || `Nothing is on record ${spanWords(span, today)}.`
}

function daySection(day: string, events: Past[], today: string): string {
  const key = ({ time }: Past) => time ?? '99'
  events.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
  const bare = events.every(({ time }) => time === null)
  const rows = events.map(({ time, kind, text, place }) => {
    const cells = [kind, shorten(text, 52), place]
    return bare ? cells : [time ?? '', ...cells]
  })
  const words = dayWords(day, today)
  const near = words.endsWith('day') ? `${words.charAt(0).toUpperCase()}${words.slice(1)}, ` : ''
  return `${near}${dateWords(day)}\n${aligned(rows)}`
}
