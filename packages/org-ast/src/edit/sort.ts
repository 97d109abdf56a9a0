import type { Headline, OrgContent, OrgData } from '../tree/nodes.ts'
import type { Patch } from './edit.ts'
import { breakBefore, children, ended } from './outline.ts'

/** How headlines are sorted. */
export interface SortRequest {
  by: 'title' | 'todo' | 'priority'
  descending?: boolean
}

function sortKey(text: string, tree: OrgData, headline: Headline, by: SortRequest['by']) {
  const { title, todoKeyword, priority, commentedp } = headline
  if (by === 'title') {
    const words = bareText(text, title).toLowerCase()
    return words === '' && commentedp ? 'comment' : words
  }
  if (by === 'priority') return /^\d+$/.test(priority ?? '') ? Number(priority) : code(priority)
  const all = [...tree.todoKeywords, ...tree.doneKeywords]
  const left = todoKeyword === null ? 0 : all.length - all.indexOf(todoKeyword)
  return 99 - (tree.doneKeywords.includes(todoKeyword ?? '') ? -left : left)
}

function code(priority: string | null): number {
  return (priority ?? 'B').charCodeAt(0)
}

function bareText(text: string, objects: readonly OrgContent[]): string {
  return objects.map((object) => bareObject(text, object)).join('')
}

function bareObject(text: string, object: OrgContent): string {
  const { start, end } = object.position
  const written = text.slice(start.offset, end.offset)
  switch (object.type) {
    case 'bold':
    case 'italic':
    case 'underline':
    case 'strike-through':
      return bareText(text, object.children) + ' '.repeat(object.postBlank)
    case 'code':
    case 'verbatim':
      return object.value + ' '.repeat(object.postBlank)
    case 'link': {
      const words = object.children.length === 0 ? object.rawLink : bareText(text, object.children)
      return words + ' '.repeat(object.postBlank)
    }
    default:
      return written
  }
}

/** Numbers by size, strings by code point. */
function compared(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b)
  const [left, right] = [Array.from(a), Array.from(b)]
  const at = left.findIndex((character, index) => character !== right[index])
  if (at === -1) return left.length - right.length
  return left[at]!.codePointAt(0)! - (right[at]?.codePointAt(0) ?? -1)
}

/** Patches that sort the children, as `org-sort-entries`. Throws a RangeError without children. */
export function sortChildren(
  text: string,
  tree: OrgData,
  parent: Headline | null,
  { by, descending = false }: SortRequest,
): Patch[] {
  const nodes = children(parent ?? tree)
  if (nodes.length === 0) throw new RangeError('Nothing to sort')
  if (nodes.some(({ level }) => level !== nodes[0]!.level)) {
    throw new RangeError('The headlines to sort have different levels')
  }
  const bound = parent?.position.end.offset ?? text.length
  const end = parent === null ? bound : sortedEnd(text, bound)
  const entries = nodes.map((node, index) => {
    const begin = node.position.start.offset
    const next = nodes[index + 1]?.position.start.offset ?? end
    return { begin, end: next, key: sortKey(text, tree, node, by) }
  })
  const sign = descending ? -1 : 1
  const sorted = [...entries].sort((a, b) => sign * compared(a.key, b.key))
  const first = entries.findIndex((entry, index) => entry !== sorted[index])
  const last = entries.findLastIndex((entry, index) => entry !== sorted[index])
  const missing = breakBefore(text, bound)
  const ending = missing === '' ? [] : [{ begin: bound, end: bound, text: missing }]
  if (first === -1) return ending
  const parts = sorted.slice(first, last + 1).map((entry) => text.slice(entry.begin, entry.end))
  const written = parts.map((part) => ended(text, part)).join('')
  const patch = { begin: entries[first]!.begin, end: entries[last]!.end, text: written }
  return patch.end === bound ? [patch] : [patch, ...ending]
}

function sortedEnd(text: string, end: number): number {
  let last = end
  while (last > 0 && ' \t\r\n'.includes(text[last - 1]!)) last--
  const line = text.indexOf('\n', last)
  const next = line === -1 ? -1 : text.indexOf('\n', line + 1)
  return next === -1 || next >= end ? end : next + 1
}
