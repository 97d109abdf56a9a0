import { isBlankCode } from './lines.ts'
import type { Headline, OrgData } from './nodes.ts'
import { planning, properties } from './query.ts'
import { nextOccurrence } from './repeat.ts'
import { formatTimestamp } from './timestamp.ts'

/** Replace the characters from `begin` to `end` (UTF-16 offsets, exclusive) by `text`. */
export interface Patch {
  begin: number
  end: number
  text: string
}

/** The text with all patches applied. Throws a RangeError when two overlap or one is outside. */
export function applyPatches(text: string, patches: readonly Patch[]): string {
  const ordered = [...patches].sort((a, b) => a.begin - b.begin || a.end - b.end)
  const parts: string[] = []
  let at = 0
  for (const patch of ordered) {
    if (patch.begin < at || patch.end < patch.begin || patch.end > text.length) {
      throw new RangeError(`Patch ${patch.begin}–${patch.end} overlaps another or leaves the text`)
    }
    parts.push(text.slice(at, patch.begin), patch.text)
    at = patch.end
  }
  return parts.join('') + text.slice(at)
}

interface LineParts {
  /** Where the keyword is or would be. */
  keyword: number
  /** Where the priority is or would be. */
  priority: number
  /** Where the title starts, `COMMENT` included. */
  title: number
  /** Where the text before the tags ends, without blanks. */
  titleEnd: number
  /** Where the line ends, without its line break. */
  end: number
  /** The line break of this file. */
  newline: string
}

function lineParts(text: string, headline: Headline): LineParts {
  const begin = headline.position.start.offset
  const lineEnd = text.indexOf('\n', begin)
  const raw = text.slice(begin, lineEnd === -1 ? text.length : lineEnd)
  const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  const skip = (from: number) => from + /^[ \t]*/.exec(line.slice(from))![0].length
  const keyword = Math.min(skip(headline.level), line.length)
  const priority = skip(keyword + (headline.todoKeyword?.length ?? 0))
  const title = headline.priority === null ? priority : skip(line.indexOf(']', priority) + 1)
  const tags = headline.tags.length === 0 ? '' : `:${headline.tags.join(':')}:`
  const titleEnd = trimmedLength(line, trimmedLength(line, line.length) - tags.length)
  return {
    keyword: begin + keyword,
    priority: begin + priority,
    title: begin + title,
    titleEnd: begin + Math.max(titleEnd, title),
    end: begin + line.length,
    newline: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

function trimmedLength(line: string, length: number): number {
  let end = length
  while (end > 0 && isBlankCode(line.charCodeAt(end - 1))) end--
  return end
}

const tagsColumn = 77

function tagsPatch(
  text: string,
  headline: Headline,
  tags: readonly string[],
  grown: number,
): Patch[] {
  const parts = lineParts(text, headline)
  const begin = headline.position.start.offset
  const written = tags.length === 0 ? '' : `:${tags.join(':')}:`
  const width = parts.titleEnd - begin + grown
  const gap = Math.max(1, tagsColumn - width - Array.from(written).length)
  const tail = written === '' ? '' : ' '.repeat(gap) + written
  if (text.slice(parts.titleEnd, parts.end) === tail) return []
  return [{ begin: parts.titleEnd, end: parts.end, text: tail }]
}

/** What setting a keyword needs to know besides the keyword. */
export interface TodoRequest {
  /** The time for `CLOSED`. */
  now: Date
  /** Write `CLOSED` when the headline becomes done; the default is not to, as in Emacs. */
  log?: boolean
}

/** Patches that give the headline this keyword, or none for null. Empty when nothing changes. */
export function setTodo(
  text: string,
  tree: OrgData,
  headline: Headline,
  keyword: string | null,
  request: TodoRequest,
): Patch[] {
  if (keyword === headline.todoKeyword) return []
  if (keyword !== null && !isKeyword(tree, keyword)) {
    const known = [...tree.todoKeywords, ...tree.doneKeywords].join(', ')
    throw new RangeError(`${keyword} is no TODO keyword of this file; it has ${known}`)
  }
  const done = keyword !== null && tree.doneKeywords.includes(keyword)
  if (done && headline.todoType !== 'done') {
    const again = repeatPatches(text, tree, headline, keyword, request.now)
    if (again !== null) return again
  }
  const parts = lineParts(text, headline)
  const patch = { begin: parts.keyword, end: parts.priority, text: keyword ? `${keyword} ` : '' }
  const grown = patch.text.length - (patch.end - patch.begin)
  const aligned = headline.tags.length > 0 ? tagsPatch(text, headline, headline.tags, grown) : []
  const patches = [patch, ...aligned]
  const wasDone = headline.todoType === 'done'
  if (done && !wasDone && request.log) {
    const closed = formatTimestamp(request.now, { active: false, time: true })
    patches.push(...setPlanning(text, tree, headline, { closed }))
  } else if (!done && wasDone) patches.push(...setPlanning(text, tree, headline, { closed: null }))
  return patches
}

function isKeyword(tree: OrgData, keyword: string): boolean {
  return tree.todoKeywords.includes(keyword) || tree.doneKeywords.includes(keyword)
}

function repeatPatches(
  text: string,
  tree: OrgData,
  headline: Headline,
  keyword: string,
  now: Date,
): Patch[] | null {
  const line = planning(headline)
  const dates: PlanningRequest = {}
  for (const key of ['deadline', 'scheduled'] as const) {
    const timestamp = line?.[key] ?? null
    const next = timestamp === null ? null : nextOccurrence(timestamp, now)
    if (next !== null) dates[key] = next
  }
  if (Object.keys(dates).length === 0) return null
  const stamp = formatTimestamp(now, { active: false, time: true })
  const quoted = (word: string | null) => (word === null ? '' : `"${word}"`).padEnd(12)
  const note = `- State ${quoted(keyword)} from ${quoted(headline.todoKeyword)} ${stamp}`
  const first = tree.todoKeywords[0] ?? headline.todoKeyword
  return [
    ...setTodo(text, tree, headline, first, { now }),
    ...setPlanning(text, tree, headline, dates),
    ...withNote(text, headline, setProperty(text, headline, 'LAST_REPEAT', stamp), note),
  ]
}

function withNote(text: string, headline: Headline, patches: Patch[], note: string): Patch[] {
  const { newline } = lineParts(text, headline)
  const last = properties(headline).at(-1)
  if (last === undefined) {
    return patches.map((patch) => ({ ...patch, text: `${patch.text}${newline}${note}` }))
  }
  const end = text.indexOf(':', last.position.end.offset)
  const { lineEnd } = lineOf(text, end)
  return [...patches, { begin: lineEnd, end: lineEnd, text: newline + note }]
}

/** Timestamps as written; null removes, a missing key leaves alone. */
export interface PlanningRequest {
  closed?: string | null
  deadline?: string | null
  scheduled?: string | null
}

const planningKeys = ['closed', 'deadline', 'scheduled'] as const

/** Patches that set or remove the dates of a headline. Empty when nothing changes. */
export function setPlanning(
  text: string,
  _tree: OrgData,
  headline: Headline,
  request: PlanningRequest,
): Patch[] {
  const line = planning(headline)
  const added: string[] = []
  const patches: Patch[] = []
  for (const key of planningKeys) {
    const wanted = request[key]
    if (wanted === undefined) continue
    const present = line?.[key]?.position
    if (present === undefined) {
      if (wanted !== null) added.push(`${key.toUpperCase()}: ${wanted}`)
    } else if (wanted !== null) {
      patches.push(replaced(text, present.start.offset, line![key]!.rawValue, wanted))
    } else patches.push(removed(text, present.start.offset, line![key]!.rawValue, key))
  }
  if (line === null)
    return added.length === 0 ? [] : [underHeadline(text, headline, added.join(' '))]
  return withAdded(text, line.position.start.offset, added, patches)
}

function replaced(text: string, begin: number, written: string, wanted: string): Patch {
  const blanks = /^[ \t]*/.exec(text.slice(begin))![0].length
  return { begin: begin + blanks, end: begin + blanks + written.length, text: wanted }
}

function removed(text: string, begin: number, written: string, key: string): Patch {
  const keyword = text.lastIndexOf(key.toUpperCase(), begin)
  const end = begin + written.length
  return { begin: keyword, end: end + /^[ \t]*/.exec(text.slice(end))![0].length, text: '' }
}

function withAdded(text: string, begin: number, added: string[], patches: Patch[]): Patch[] {
  const newline = text.indexOf('\n', begin)
  const lineEnd = newline === -1 ? text.length : newline + 1
  const content = begin + /^[ \t]*/.exec(text.slice(begin, lineEnd))![0].length
  if (added.length > 0) {
    const first = patches.find((patch) => patch.begin === content && patch.text === '')
    const front = added.join(' ')
    if (first === undefined) patches.push({ begin: content, end: content, text: `${front} ` })
    else first.text = text.slice(first.end, lineEnd).trim() === '' ? front : `${front} `
  }
  const local = patches.map((patch) => ({
    ...patch,
    begin: patch.begin - begin,
    end: patch.end - begin,
  }))
  const after = applyPatches(text.slice(begin, lineEnd), local)
  if (after.trim() === '') return [{ begin, end: lineEnd, text: '' }]
  if (/^\*+ /.test(after)) patches.push({ begin, end: begin, text: ' ' })
  return patches
}

function underHeadline(text: string, headline: Headline, line: string): Patch {
  const { end, newline } = lineParts(text, headline)
  return { begin: end, end, text: newline + line }
}

/** Patches that set the priority cookie, or remove it for null. Throws a RangeError for a bad one. */
export function setPriority(text: string, headline: Headline, priority: string | null): Patch[] {
  if (priority === headline.priority) return []
  if (priority !== null && !/^(?:[A-Z]|[0-9]{1,2})$/.test(priority)) {
    throw new RangeError(`${priority} is no priority: one capital letter, or a number below 100`)
  }
  const { priority: begin, title: end } = lineParts(text, headline)
  const patch = { begin, end, text: priority === null ? '' : `[#${priority}] ` }
  const grown = patch.text.length - (end - begin)
  return [
    patch,
    ...(headline.tags.length > 0 ? tagsPatch(text, headline, headline.tags, grown) : []),
  ]
}

/** Patches that give the headline exactly these own tags. Throws a RangeError for a bad one. */
export function setTags(text: string, headline: Headline, tags: readonly string[]): Patch[] {
  return tagsPatch(text, headline, tags.map(checkedTag), 0)
}

function checkedTag(tag: string): string {
  if (/^[\p{L}\p{N}_@#%]+$/u.test(tag)) return tag
  throw new RangeError(`${JSON.stringify(tag)} is no tag: letters, digits, _ @ # % only`)
}

/** Patches that set a property. Throws a RangeError for a name with blanks or a value of two lines. */
export function setProperty(
  text: string,
  headline: Headline,
  name: string,
  value: string,
): Patch[] {
  if (!/^[^\s:]+$/.test(name)) throw new RangeError(`${JSON.stringify(name)} is no property name`)
  if (/[\r\n]/.test(value)) throw new RangeError(`The value of ${name} has a line break`)
  const { newline, end } = lineParts(text, headline)
  const nodes = properties(headline)
  const same = nodes.findLast(({ key }) => key.toUpperCase() === name.toUpperCase())
  const line = `:${same?.key ?? name}:`.padEnd(10) + (value === '' ? '' : ` ${value}`)
  const neighbour = same ?? nodes.at(-1)
  if (neighbour !== undefined) {
    const { begin, lineEnd } = lineOf(text, neighbour.position.start.offset)
    if (same !== undefined)
      return text.slice(begin, lineEnd) === line ? [] : [{ begin, end: lineEnd, text: line }]
    return [{ begin: lineEnd, end: lineEnd, text: newline + line }]
  }
  const plan = planning(headline)
  const at = plan === null ? end : lineOf(text, plan.position.start.offset).lineEnd
  const drawer = [':PROPERTIES:', line, ':END:'].map((row) => newline + row).join('')
  return [{ begin: at, end: at, text: drawer }]
}

function lineOf(text: string, offset: number): { begin: number; lineEnd: number } {
  const newline = text.indexOf('\n', offset)
  const end = newline === -1 ? text.length : newline
  const lineEnd = text[end - 1] === '\r' ? end - 1 : end
  return { begin: offset + /^[ \t]*/.exec(text.slice(offset, lineEnd))![0].length, lineEnd }
}

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
  const title = request.title.replace(/\s+/g, ' ').trim()
  if (title === '') throw new RangeError('A headline needs a title')
  const priority = request.priority === undefined ? [] : [`[#${request.priority}]`]
  const head = [stars, ...(request.todo ? [request.todo] : []), ...priority, title].join(' ')
  const tags = (request.tags ?? []).map(checkedTag)
  const written = tags.length === 0 ? '' : `:${tags.join(':')}:`
  const width = Array.from(head).length + written.length
  const line = written === '' ? head : head + ' '.repeat(Math.max(1, tagsColumn - width)) + written
  return [line, ...planningLine(request), ...drawerLines(request), ...bodyLines(request.body)]
}

function planningLine({ scheduled, deadline }: NewHeadline): string[] {
  const parts: string[] = []
  if (deadline !== undefined) parts.push(`DEADLINE: ${deadline}`)
  if (scheduled !== undefined) parts.push(`SCHEDULED: ${scheduled}`)
  return parts.length === 0 ? [] : [parts.join(' ')]
}

function drawerLines({ properties: wanted = {} }: NewHeadline): string[] {
  const lines = Object.entries(wanted).map(([key, value]) => {
    if (/[\s:]/.test(key)) throw new RangeError(`${JSON.stringify(key)} is no property name`)
    return `${`:${key}:`.padEnd(10)} ${value.replace(/\s+/g, ' ')}`
  })
  return lines.length === 0 ? [] : [':PROPERTIES:', ...lines, ':END:']
}

function bodyLines(body = ''): string[] {
  if (body.trim() === '') return []
  return body
    .trimEnd()
    .split(/\r?\n|\r/)
    .map((line) => line.replace(/^(?=\*+ )/, ' '))
}
