import type { Patch } from './edit.ts'
import { aligned, lineEnd } from './edit-outline.ts'
import type { Headline, OrgContent, OrgData } from './nodes.ts'
import { ancestors, headlines, property, walk } from './query.ts'

/** What is no longer there, and the level of the children that count. */
export interface Recount {
  gone: Headline | null
  level: number
  /** A child is known to be there, such as an archive just made. */
  child?: boolean
}

/** Patches that bring the cookies of `parent` up to date after a child has left. */
export function recount(text: string, tree: OrgData, parent: Headline, what: Recount): Patch[] {
  const above = [...ancestors(tree, parent), parent]
  const owner = above.findLastIndex((node) => property(node, 'COOKIE_DATA') !== null)
  const data = owner === -1 ? '' : property(above[owner]!, 'COOKIE_DATA')!
  const recursive = /\brecursive\b/.test(data)
  const counted = recursive ? above.slice(owner).reverse() : [parent]
  const stop = counted.findIndex((node) => countsCheckboxes(node, what))
  const all = stop === -1 ? counted : counted.slice(0, stop)
  return all.flatMap((node) => cookiePatch(text, tree, node, what, recursive))
}

function countsCheckboxes(node: Headline, { child }: Recount): boolean {
  const data = property(node, 'COOKIE_DATA') ?? ''
  if (/\bcheckbox\b/i.test(data)) return true
  const section = node.children[0]
  if (child || section?.type !== 'section' || /\btodo\b/.test(data)) return false
  let found = false
  walk(section, (inner) => {
    if (inner.type === 'item' && inner.checkbox !== null) found = true
    return !found
  })
  return found
}

function cookiePatch(
  text: string,
  tree: OrgData,
  node: Headline,
  { gone, level, child = false }: Recount,
  recursive: boolean,
): Patch[] {
  const left = remaining(node, gone)
  const tasks = left.filter(
    (task) => task.todoKeyword !== null && (recursive || task.level === level),
  )
  const done = tasks.filter((task) => tree.doneKeywords.includes(task.todoKeyword!)).length
  const none = left.length === 0 && !child
  const percent = none ? 100 : Math.floor((100 * done) / Math.max(1, tasks.length))
  const begin = node.position.start.offset
  const end = lineEnd(text, begin)
  let line = text.slice(begin, end)
  for (const { position, value } of cookies(node).reverse()) {
    const written = value.endsWith('%]') ? `[${percent}%]` : `[${done}/${tasks.length}]`
    const at = position.start.offset - begin
    line = line.slice(0, at) + written + line.slice(at + value.length)
  }
  if (line === text.slice(begin, end)) return []
  return [{ begin, end, text: aligned(line) }]
}

function cookies({ title }: Headline) {
  return (title as OrgContent[]).filter((object) => object.type === 'statistics-cookie')
}

function remaining(node: Headline, gone: Headline | null): Headline[] {
  const { start, end } = gone?.position ?? { start: { offset: -1 }, end: { offset: -1 } }
  return [...headlines(node)].filter(
    ({ position: { start: at } }) => at.offset < start.offset || at.offset >= end.offset,
  )
}
