import type { ReadFile } from '../parse/settings.ts'
import type { Headline, OrgData } from '../tree/nodes.ts'
import { type Draft, endOfLine, entryDraft, type Patch } from './edit.ts'
import { type EditSettings, editSettings, keywordIn } from './settings.ts'
import { alignTags } from './tags.ts'

/** What setting a priority needs to know besides the priority. */
export interface PriorityRequest {
  /** Gives the text of a file named in `#+SETUPFILE:`, or null. */
  readFile?: ReadFile
}

/**
 * Patches that set the priority, move it `up` or `down` a step, or remove it for null.
 * Throws a RangeError for one outside the file's range.
 */
export function setPriority(
  text: string,
  tree: OrgData,
  headline: Headline,
  priority: string | null,
  { readFile }: PriorityRequest = {},
): Patch[] {
  const settings = editSettings(text, tree, '', readFile)
  const { highest, lowest, default: middle } = settings.priorities
  const draft = entryDraft(text, headline)
  const cookie = cookieOf(draft.text)
  let wanted = priority
  if (priority === 'up' || priority === 'down') {
    const step = priority === 'up' ? -1 : 1
    const value = cookie === null ? toValue(middle) : toValue(cookie.value) + step
    const inRange = value >= toValue(highest) && value <= toValue(lowest)
    wanted = inRange ? (value < 65 ? String(value) : String.fromCharCode(value)) : null
  } else if (priority !== null && !isAllowed(priority, highest, lowest)) {
    throw new RangeError(`${priority} is no priority of this file: ${highest} to ${lowest}`)
  }
  writePriority(draft, settings, cookie, wanted)
  return draft.patches()
}

const valuePattern = /^(?:[A-Z]|[0-9]|[1-5][0-9]|6[0-4])$/

function toValue(priority: string): number {
  return /^[0-9]/.test(priority) ? Number(priority) : priority.charCodeAt(0)
}

function isAllowed(priority: string, highest: string, lowest: string): boolean {
  if (!valuePattern.test(priority)) return false
  const value = toValue(priority)
  return value >= toValue(highest) && value <= toValue(lowest)
}

interface Cookie {
  begin: number
  /** Past the bracket, and one blank when there is one. */
  end: number
  value: string
}

function cookieOf(text: string): Cookie | null {
  const line = text.slice(0, endOfLine(text, 0))
  const match = /\[#([A-Z]|[0-9]|[1-5][0-9]|6[0-4])\] ?/.exec(line)
  if (match === null) return null
  return { begin: match.index, end: match.index + match[0].length, value: match[1]! }
}

function writePriority(
  draft: Draft,
  settings: EditSettings,
  cookie: Cookie | null,
  wanted: string | null,
): void {
  if (cookie !== null) {
    const { begin, end, value } = cookie
    if (wanted === null) draft.replace(begin, end, '')
    else draft.replace(begin + 2, begin + 2 + value.length, wanted)
  } else if (wanted === null) return
  else insertCookie(draft, settings, `[#${wanted}]`)
  alignTags(draft)
}

function insertCookie(draft: Draft, settings: EditSettings, cookie: string): void {
  const { text } = draft
  const after = keywordIn(text, settings)?.end
  if (after !== undefined) {
    draft.replace(after, after, ` ${cookie}`)
    return
  }
  let at = text.search(/[^*]/)
  while (text[at] === ' ') at++
  draft.replace(at, at, `${cookie} `)
}
