import { fileProperties } from '../babel/headers.ts'
import { tagGap } from '../text/columns.ts'
import type { AnyOrgNode, Headline, Item, OrgContent, OrgData, PlainList } from '../tree/nodes.ts'
import type { StatisticsCookie } from '../tree/object-nodes.ts'
import { headlines, walk } from '../tree/query.ts'
import { applyPatches, type Patch } from './edit.ts'
import {
  type Boxes,
  boxOf,
  entryProperty,
  itemsOf,
  type Owner,
  outerLists,
  ownerOf,
  sectionOf,
  subLists,
} from './entry-lists.ts'
import { lineEnd, pathTo } from './lines.ts'

/** By which settings cookies are counted. */
export interface CookieRequest {
  /** Cookies count direct children only: `org-checkbox-hierarchical-statistics`, default true. */
  hierarchical?: boolean
}

interface Scope {
  /** The item or block; null for the whole entry. */
  container: OrgContent | null
  children: readonly OrgContent[]
  /** Whether there is a list around it. */
  inList: boolean
  counts: [on: number, all: number] | null
}

const containers = new Set([
  'drawer',
  'center-block',
  'dynamic-block',
  'item',
  'quote-block',
  'special-block',
  'verse-block',
])

type Found = { cookie: StatisticsCookie; scope: Scope }

function findCookies(
  nodes: readonly OrgContent[],
  scope: Scope,
  inList: boolean,
  found: Found[],
): void {
  for (const node of nodes) {
    if (node.type === 'statistics-cookie') found.push({ cookie: node, scope })
    if (!('children' in node)) continue
    const children: readonly OrgContent[] = node.children
    const isScope = containers.has(node.type)
    const inner = isScope ? { container: node, children, inList, counts: null } : scope
    if (node.type === 'item' && node.tag !== null) findCookies(node.tag, inner, inList, found)
    findCookies(children, inner, inList || node.type === 'plain-list', found)
  }
}

function boxedList(
  nodes: readonly OrgContent[],
  outer: PlainList | null,
  boxes: Boxes,
): PlainList | null {
  for (const node of nodes) {
    if (node.type === 'paragraph' || !('children' in node)) continue
    if (node.type !== 'plain-list') {
      const found = boxedList(node.children, null, boxes)
      if (found !== null) return found
      continue
    }
    const list = outer ?? node
    for (const item of node.children) {
      if (boxOf(item, boxes) !== null) return list
      const found = boxedList(item.children, list, boxes)
      if (found !== null) return found
    }
  }
  return null
}

function countScope(scope: Scope, boxes: Boxes, recursive: boolean): [number, number] {
  if (scope.counts !== null) return scope.counts
  const items = countedLists(scope, boxes).flatMap((list) =>
    recursive ? [...itemsOf(list)] : list.children,
  )
  const states = items.map((item) => boxOf(item, boxes)).filter((box) => box !== null)
  scope.counts = [states.filter((box) => box === 'on').length, states.length]
  return scope.counts
}

function countedLists({ container, children, inList }: Scope, boxes: Boxes): PlainList[] {
  if (container?.type === 'item') {
    const own = subLists(container)
    return own.length > 0 && boxedList(children, own[0]!, boxes) === own[0] ? own : []
  }
  const found = inList
    ? [boxedList(children, null, boxes)]
    : [...outerLists(children)].map((list) => boxedList([list], null, boxes))
  return found.filter((list) => list !== null)
}

function cookieText(cookie: StatisticsCookie, [on, all]: [number, number]): string {
  if (!cookie.value.endsWith('%]')) return `[${on}/${all}]`
  return `[${Math.floor((100 * on) / Math.max(1, all))}%]`
}

interface Recount {
  values: Map<StatisticsCookie, string>
  aligned: Set<Headline>
}

/** A count that has found nothing yet. */
export function newRecount(): Recount {
  return { values: new Map(), aligned: new Set() }
}

function hasWord(data: string | null, word: string): boolean {
  return (
    data !== null && new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, 'iu').test(data)
  )
}

/** Counts the boxes of an entry, as they are after an edit, into its cookies. */
export function countBoxes(
  owner: Owner,
  boxes: Boxes,
  { hierarchical = true }: CookieRequest,
  recount: Recount,
): void {
  const data = entryProperty(owner, 'COOKIE_DATA')
  if (hasWord(data, 'todo')) return
  const children = sectionOf(owner)?.children ?? []
  const entry: Scope = { container: null, children, inList: false, counts: null }
  const found: Found[] = []
  if (owner.type === 'headline') findCookies(owner.title, entry, false, found)
  if (found.length > 0) recount.aligned.add(owner as Headline)
  findCookies(children, entry, false, found)
  for (const { cookie, scope } of found) {
    const counts = countScope(scope, boxes, !hierarchical || hasWord(data, 'recursive'))
    recount.values.set(cookie, cookieText(cookie, counts))
  }
}

/** The patches that write what was counted. */
export function cookiePatches(text: string, { values, aligned }: Recount): Patch[] {
  const patches: Patch[] = []
  for (const [cookie, value] of values) {
    const begin = cookie.position.start.offset
    const end = begin + cookie.value.length
    if (value !== cookie.value) patches.push({ begin, end, text: value })
  }
  const ordered = [...patches].sort((a, b) => a.begin - b.begin)
  for (const headline of aligned) patches.push(...tagPatches(text, headline, ordered))
  return patches
}

function tagPatches(text: string, headline: Headline, patches: readonly Patch[]): Patch[] {
  if (headline.tags.length === 0) return []
  const begin = headline.position.start.offset
  const end = lineEnd(text, begin)
  const own = patches.slice(firstFrom(patches, begin), firstFrom(patches, end))
  const here = own.map((patch) => ({
    ...patch,
    begin: patch.begin - begin,
    end: patch.end - begin,
  }))
  const line = applyPatches(text.slice(begin, end), here)
  const gap = tagGap(line)
  if (gap === null) return []
  const from = end - line.length
  return [{ begin: from + gap.begin, end: from + gap.end, text: gap.text }]
}

function firstFrom(patches: readonly Patch[], offset: number): number {
  let low = 0
  let high = patches.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (patches[middle]!.begin < offset) low = middle + 1
    else high = middle
  }
  return low
}

const boxLine = /^[ \t]*(?:[-+*]|\d+[.)]) \[[- X]\]/m

/**
 * Patches that set the cookies of a headline or of an item's entry right, as
 * `org-update-statistics-cookies` does there. Empty when they are.
 */
export function updateCookies(
  text: string,
  tree: OrgData,
  node: Headline | Item,
  request: CookieRequest = {},
): Patch[] {
  const path = pathTo(tree, node)
  const recount = newRecount()
  if (node.type === 'item') countBoxes(ownerOf(path), new Map(), request, recount)
  else {
    const begin = node.position.start.offset
    const entry = text.slice(begin, sectionOf(node)?.position.end.offset ?? lineEnd(text, begin))
    const child = node.children.find(({ type }) => type === 'headline') as Headline | undefined
    if (boxLine.test(entry) && !/:COOKIE_DATA:.*\btodo\b/i.test(entry))
      countBoxes(node, new Map(), request, recount)
    else if (child === undefined) return emptyCookies(text, begin)
    else climb(tasksOf(tree), [...path, child], 0, null, recount)
  }
  return cookiePatches(text, recount)
}

function emptyCookies(text: string, begin: number): Patch[] {
  const line = text.slice(begin, lineEnd(text, begin))
  return [...line.matchAll(/\[\d*%\]|\[\d*\/\d*\]/g)].flatMap(({ 0: had, index }) => {
    const put = had.endsWith('%]') ? '[100%]' : '[0/0]'
    const at = begin + index
    return put === had ? [] : [{ begin: at, end: at + had.length, text: put }]
  })
}

interface Tasks {
  tree: OrgData
  /** The file's keywords in small letters. */
  keywords: Set<string>
  /** What `#+property: COOKIE_DATA` says for the whole file, or null. */
  data: string | null
}

function countTasks(
  { keywords }: Tasks,
  parent: Headline,
  level: number,
  recursive: boolean,
): [number, number] {
  let done = 0
  let all = 0
  for (const headline of headlines(parent)) {
    if (!(recursive || headline.level === level) || !isTask(headline, keywords)) continue
    all++
    if (headline.todoType === 'done') done++
  }
  return [done, all]
}

function isTask(headline: Headline, keywords: Set<string>): boolean {
  if (headline.todoKeyword !== null) return true
  if (headline.priority !== null || headline.commentedp) return false
  return keywords.has(headline.rawValue.split(' ', 1)[0]!.toLowerCase())
}

function tasksOf(tree: OrgData): Tasks {
  const words = [...tree.todoKeywords, ...tree.doneKeywords]
  const keywords = new Set(words.map((word) => word.toLowerCase()))
  const lines: string[] = []
  walk(tree, (node) => {
    if (node.type === 'keyword' && node.key === 'PROPERTY') lines.push(node.value)
    return node.type !== 'paragraph' && node.type !== 'table'
  })
  return { tree, keywords, data: fileProperties(lines).get('COOKIE_DATA') ?? null }
}

function climb(
  tasks: Tasks,
  path: readonly AnyOrgNode[],
  top: number,
  done: Set<Headline> | null,
  recount: Recount,
): void {
  const outline = path.filter(({ type }) => type === 'headline') as Headline[]
  const { level } = outline.at(-1)!
  const [data, source] = inheritedData(tasks, outline.slice(0, -1))
  const recursive = hasWord(data, 'recursive')
  for (const parent of outline.slice(0, -1).reverse()) {
    if (parent.position.start.offset < Math.max(top, source)) return
    if (/\bcheckbox\b/i.test(entryProperty(parent, 'COOKIE_DATA') ?? '')) return
    if (!done?.has(parent)) countTitle(tasks, parent, level, recursive, recount)
    done?.add(parent)
    if (!recursive) return
  }
}

function countTitle(
  tasks: Tasks,
  parent: Headline,
  level: number,
  recursive: boolean,
  recount: Recount,
): void {
  const found: Found[] = []
  const scope: Scope = { container: null, children: [], inList: false, counts: null }
  findCookies(parent.title, scope, false, found)
  if (found.length === 0) return
  const counts = countTasks(tasks, parent, level, recursive)
  for (const { cookie } of found) {
    const value = cookieText(cookie, counts)
    if (value !== cookie.value) recount.aligned.add(parent)
    recount.values.set(cookie, value)
  }
}

function inheritedData({ tree, data }: Tasks, above: readonly Headline[]): [string | null, number] {
  for (const headline of above.toReversed()) {
    const own = entryProperty(headline, 'COOKIE_DATA')
    if (own !== null) return [own, headline.position.start.offset]
  }
  return [entryProperty(tree, 'COOKIE_DATA') ?? data, 0]
}

/**
 * Patches that set all cookies of a subtree, or for null of the file, right. Empty when they are.
 */
export function updateAllCookies(
  text: string,
  tree: OrgData,
  subtree: Headline | null,
  request: CookieRequest = {},
): Patch[] {
  const recount = newRecount()
  const boxes: Boxes = new Map()
  const top = subtree?.position.start.offset ?? 0
  if (subtree === null) countBoxes(tree, boxes, request, recount)
  const below = [...(subtree === null ? [] : [subtree]), ...headlines(subtree ?? tree)]
  for (const headline of below) countBoxes(headline, boxes, request, recount)
  const done = new Set<Headline>()
  const tasks = tasksOf(tree)
  for (const headline of below.toReversed()) {
    climb(tasks, pathTo(tree, headline), top, done, recount)
  }
  return cookiePatches(text, recount)
}
