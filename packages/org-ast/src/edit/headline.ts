import type { Headline, OrgData } from '../tree/nodes.ts'
import { Draft, type Patch } from './edit.ts'
import { inertLine, inertOrg } from './inert.ts'
import { alignTags, checkedTag } from './tags.ts'

/** What to write; everything but the title may be missing. */
export interface NewHeadline {
  title: string
  todo?: string
  priority?: string
  tags?: readonly string[]
  /** Timestamps as written, such as formatTimestamp gives. */
  scheduled?: string
  deadline?: string
  properties?: Readonly<Record<string, string>>
  body?: string
}

/** The patch that adds a headline under `parent`, or at top level for null, as the last child. */
export function addHeadline(
  text: string,
  _tree: OrgData,
  parent: Headline | null,
  request: NewHeadline,
): Patch[] {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const end = parent === null ? text.length : parent.position.end.offset
  const at = text.slice(0, end).trimEnd().length
  const rest = text.slice(at, end)
  const first = /^[ \t]*\r?\n/.exec(rest)
  const begin = first === null ? end : at + first[0].length
  const lead = first === null && at > 0 ? newline : ''
  const stars = '*'.repeat(parent === null ? 1 : parent.level + 1)
  return [{ begin, end: begin, text: lead + newHeadline(stars, request).join(newline) + newline }]
}

function newHeadline(stars: string, request: NewHeadline): string[] {
  const title = inertLine(request.title)
  if (title === '') throw new RangeError('A headline needs a title')
  const priority = request.priority === undefined ? [] : [`[#${request.priority}]`]
  const words = [stars, ...(request.todo ? [request.todo] : []), ...priority, title]
  const head = words.join(' ').replace(/\s+/g, ' ')
  const tags = (request.tags ?? []).map(checkedTag)
  const word = tags.length === 0 ? '' : ` :${tags.join(':')}:`
  const draft = new Draft(head + word, 0, head.length + word.length)
  alignTags(draft)
  return [draft.text, ...planningLine(request), ...drawerLines(request), ...bodyLines(request.body)]
}

function planningLine({ scheduled, deadline }: NewHeadline): string[] {
  const parts: string[] = []
  if (deadline !== undefined) parts.push(`DEADLINE: ${deadline}`)
  if (scheduled !== undefined) parts.push(`SCHEDULED: ${scheduled}`)
  return parts.length === 0 ? [] : [parts.join(' ').replace(/\s+/g, ' ')]
}

function drawerLines({ properties: wanted = {} }: NewHeadline): string[] {
  const lines = Object.entries(wanted).map(([key, value]) => {
    if (/[\s:]/.test(key)) throw new RangeError(`${JSON.stringify(key)} is no property name`)
    return `${`:${key}:`.padEnd(10)} ${inertLine(value)}`
  })
  return lines.length === 0 ? [] : [':PROPERTIES:', ...lines, ':END:']
}

function bodyLines(body = ''): string[] {
  return body.trim() === '' ? [] : inertOrg(body.trimEnd()).split('\n')
}
