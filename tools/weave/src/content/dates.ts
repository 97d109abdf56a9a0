import type { ElementContent } from 'hast'
import { h } from 'hastscript'
import type { Clock, OrgDate, Planning, Timestamp } from 'org-ast'

type Content = ElementContent[]

/** The timestamp as it is written, each of its dates with the machine's form of it. */
export function time({ rawValue, rangeType, start, end }: Timestamp): Content {
  const middle = rangeType === 'daterange' ? rawValue.indexOf('--') : -1
  if (middle < 0) return [oneTime(rawValue, start)]
  const parts = [
    oneTime(rawValue.slice(0, middle), start),
    oneTime(rawValue.slice(middle + 2), end),
  ]
  return [parts[0]!, { type: 'text', value: '–' }, parts[1]!]
}

function oneTime(words: string, date: OrgDate | null): ElementContent {
  const form = date === null ? null : machineForm(date)
  return form === null
    ? h('span', { className: 'timestamp' }, words)
    : h('time', { dateTime: form }, words)
}

/** The date as HTML has it, such as `2026-11-21T09:05`; null for a day that does not exist. */
function machineForm({ year, month, day, hour, minute }: OrgDate): string | null {
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  const clock = hour === null ? '' : `T${two(hour)}:${two(minute ?? 0)}`
  const instant = new Date(`${date}${clock || 'T00:00'}:00Z`)
  if (year < 1 || Number.isNaN(instant.getTime()) || instant.getUTCDate() !== day) return null
  return `${date}${clock}`
}

/** The line of what was planned. */
export function planning({ closed, deadline, scheduled }: Planning): Content {
  const dates = [
    ['Closed', closed],
    ['Deadline', deadline],
    ['Scheduled', scheduled],
  ] as const
  const parts = dates.flatMap(([word, date]) =>
    date === null ? [] : [word, ' ', ...time(date), ' '],
  )
  return [h('p', { className: 'planning' }, parts.slice(0, -1))]
}

/** The line of a clock. */
export function clock({ value, duration }: Clock): Content {
  const parts = [
    ...(value === null ? [] : time(value)),
    ...(duration === null ? [] : [` (${duration})`]),
  ]
  return [h('p', { className: 'planning' }, ['Clock ', ...parts])]
}
