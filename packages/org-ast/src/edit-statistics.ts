import { Draft, type Patch } from './edit.ts'
import { type EditSettings, inheritedProperty } from './edit-settings.ts'
import { alignTags } from './edit-tags.ts'
import type { Headline, OrgData } from './nodes.ts'
import { ancestors, headlines, property, walk } from './query.ts'

/** The headlines above one task, while it changes. */
export interface ParentLines {
  text: string
  tree: OrgData
  task: Headline
  settings: EditSettings
  /** Those that were looked at, each as one line. */
  drafts: Map<Headline, Draft>
}

/** Brings the cookies above a task up to date, now that it has this keyword. */
export function updateParents(lines: ParentLines, keyword: string | null): void {
  const above = ancestors(lines.tree, lines.task).reverse()
  const [parent] = above
  if (parent === undefined) return
  const data = inheritedProperty(lines.tree, parent, 'COOKIE_DATA', lines.settings)
  const recursive = data.value !== null && /\brecursive\b/.test(data.value)
  const limit = data.at?.position.start.offset ?? 0
  for (const headline of recursive ? above : [parent]) {
    if (headline.position.start.offset < limit) return
    if (/\bcheckbox\b/i.test(property(headline, 'COOKIE_DATA') ?? '')) return
    updateCookies(lines, headline, tasksBelow(lines, headline, recursive, keyword))
  }
}

interface Count {
  all: number
  done: number
}

function tasksBelow(
  { task, settings }: ParentLines,
  headline: Headline,
  recursive: boolean,
  keyword: string | null,
): Count {
  const done = new Set(settings.done)
  const count = { all: 0, done: 0 }
  for (const below of headlines(headline)) {
    if (!recursive && below.level !== task.level) continue
    const word = below === task ? keyword : below.todoKeyword
    if (word === null) continue
    count.all++
    if (done.has(word)) count.done++
  }
  return count
}

function updateCookies(lines: ParentLines, headline: Headline, { all, done }: Count): void {
  const places = cookiePlaces(lines.text, headline)
  if (places.size === 0) return
  const begin = headline.position.start.offset
  const draft =
    lines.drafts.get(headline) ?? new Draft(lines.text, begin, lineEnd(lines.text, begin))
  lines.drafts.set(headline, draft)
  const share = `[${Math.floor((100 * done) / Math.max(1, all))}%]`
  const patches: Patch[] = []
  for (const [place, match] of [...draft.text.matchAll(cookiePattern)].entries()) {
    const text = match[0].endsWith('%]') ? share : `[${done}/${all}]`
    if (!places.has(place) || text === match[0]) continue
    patches.push({ begin: match.index, end: match.index + match[0].length, text })
  }
  if (patches.length === 0) return
  draft.change(...patches)
  alignTags(draft)
}

const cookiePattern = /\[[0-9]*%\]|\[[0-9]*\/[0-9]*\]/g

function cookiePlaces(text: string, headline: Headline): Set<number> {
  const offsets = new Set<number>()
  for (const object of headline.title) {
    walk(object, (node) => {
      if (node.type === 'statistics-cookie') offsets.add(node.position.start.offset)
    })
  }
  const begin = headline.position.start.offset
  const places = new Set<number>()
  let place = 0
  for (const match of text.slice(begin, lineEnd(text, begin)).matchAll(cookiePattern)) {
    if (offsets.has(begin + match.index)) places.add(place)
    place++
  }
  return places
}

function lineEnd(text: string, begin: number): number {
  const newline = text.indexOf('\n', begin)
  if (newline === -1) return text.length
  return text[newline - 1] === '\r' ? newline - 1 : newline
}
