import { parse } from '../parse/parse.ts'
import type { Headline, OrgData } from '../tree/nodes.ts'
import { ancestors, headlines, property, walk } from '../tree/query.ts'
import { Draft, type Patch } from './edit.ts'
import { lineEnd } from './lines.ts'
import { type EditSettings, editSettings, inheritedProperty, priorityAsText } from './settings.ts'
import { alignTags } from './tags.ts'

interface CountedLines {
  text: string
  /** Those that were looked at, each as one line. */
  drafts: Map<Headline, Draft>
}

/** The headlines above one task, while it changes. */
export interface ParentLines extends CountedLines {
  tree: OrgData
  task: Headline
  settings: EditSettings
}

/** Brings the cookies above a task up to date, now that it has this keyword. */
export function updateParents(lines: ParentLines, keyword: string | null): void {
  const { tree, task, settings } = lines
  const keywordOf = (below: Headline) => (below === task ? keyword : below.todoKeyword)
  const above = ancestors(tree, task).reverse()
  const { counted, recursive } = countedHeadlines(tree, above, settings, countsCheckboxes)
  for (const headline of counted) {
    const level = recursive ? null : task.level
    updateCookies(lines, headline, tasksBelow(headline, level, settings, keywordOf))
  }
}

function countsCheckboxes(headline: Headline): boolean {
  return /\bcheckbox\b/i.test(property(headline, 'COOKIE_DATA') ?? '')
}

/** Which of the headlines above, nearest first, have their cookies counted. */
function countedHeadlines(
  tree: OrgData,
  above: readonly Headline[],
  settings: EditSettings,
  stops: (headline: Headline) => boolean,
): { counted: readonly Headline[]; recursive: boolean } {
  const [parent] = above
  if (parent === undefined) return { counted: [], recursive: false }
  const data = inheritedProperty(tree, parent, 'COOKIE_DATA', settings)
  const recursive = data.value !== null && /\brecursive\b/.test(data.value)
  const limit = data.at?.position.start.offset ?? 0
  const reached = recursive ? above : [parent]
  const end = reached.findIndex((each) => each.position.start.offset < limit || stops(each))
  return { counted: end === -1 ? reached : reached.slice(0, end), recursive }
}

interface Count {
  all: number
  done: number
  percent: number
}

/** Counts the tasks of this level, or of all levels for null. */
function tasksBelow(
  headline: Headline,
  level: number | null,
  settings: EditSettings,
  keywordOf: (below: Headline) => string | null,
): Count {
  const count = { all: 0, done: 0, percent: 0 }
  for (const below of headlines(headline)) {
    if (level !== null && below.level !== level) continue
    const word = keywordOf(below)
    if (word === null) continue
    count.all++
    if (settings.done.includes(word)) count.done++
  }
  count.percent = Math.floor((100 * count.done) / Math.max(1, count.all))
  return count
}

function updateCookies(lines: CountedLines, headline: Headline, count: Count): void {
  const places = cookiePlaces(lines.text, headline)
  if (places.size === 0) return
  const begin = headline.position.start.offset
  const draft =
    lines.drafts.get(headline) ?? new Draft(lines.text, begin, lineEnd(lines.text, begin))
  lines.drafts.set(headline, draft)
  const patches: Patch[] = []
  for (const [place, match] of [...draft.text.matchAll(allCookies)].entries()) {
    const text = match[0].endsWith('%]') ? `[${count.percent}%]` : `[${count.done}/${count.all}]`
    if (!places.has(place) || text === match[0]) continue
    patches.push({ begin: match.index, end: match.index + match[0].length, text })
  }
  if (patches.length === 0) return
  draft.change(...patches)
  alignTags(draft)
}

const cookiePattern = /\[[0-9]*%\]|\[[0-9]*\/[0-9]*\]/
const allCookies = new RegExp(cookiePattern, 'g')

function cookiePlaces(text: string, headline: Headline): Set<number> {
  const offsets = new Set<number>()
  const begin = headline.position.start.offset
  const line = text.slice(begin, lineEnd(text, begin))
  if (!cookiePattern.test(line)) return new Set()
  walk(parse(priorityAsText(line)), (node) => {
    if (node.type === 'statistics-cookie') offsets.add(node.position.start.offset)
  })
  const places = new Set<number>()
  let place = 0
  for (const match of line.matchAll(allCookies)) {
    if (offsets.has(match.index)) places.add(place)
    place++
  }
  return places
}

/** What is no longer there, and the level of the children that count. */
interface Recount {
  gone: Headline | null
  level: number
  /** A child is known to be there, such as an archive just made. */
  child?: boolean
}

/** Patches that bring the cookies of `parent` up to date after a child has left. */
export function recount(text: string, tree: OrgData, parent: Headline, what: Recount): Patch[] {
  const { gone, level, child = false } = what
  const settings = editSettings(text, tree)
  const { start, end } = gone?.position ?? { start: { offset: -1 }, end: { offset: -1 } }
  const stays = ({ position: { start: at } }: Headline) =>
    at.offset < start.offset || at.offset >= end.offset
  const keywordOf = (below: Headline) => (stays(below) ? below.todoKeyword : null)
  const above = [...ancestors(tree, parent), parent].reverse()
  const stops = (each: Headline) => countsCheckboxes(each) || (!child && hasCheckboxes(each))
  const { counted, recursive } = countedHeadlines(tree, above, settings, stops)
  const lines: CountedLines = { text, drafts: new Map() }
  for (const headline of counted) {
    const count = tasksBelow(headline, recursive ? null : level, settings, keywordOf)
    if (!child && ![...headlines(headline)].some(stays)) count.percent = 100
    updateCookies(lines, headline, count)
  }
  return [...lines.drafts.values()].flatMap((draft) => draft.patches())
}

function hasCheckboxes(headline: Headline): boolean {
  const section = headline.children[0]
  if (section?.type !== 'section') return false
  if (/\btodo\b/.test(property(headline, 'COOKIE_DATA') ?? '')) return false
  let found = false
  walk(section, (inner) => {
    if (inner.type === 'item' && inner.checkbox !== null) found = true
    return !found
  })
  return found
}
