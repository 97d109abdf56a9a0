import { fileProperties } from '../babel/headers.ts'
import { indentTo, stringWidth, tagGap } from '../text/columns.ts'
import type {
  AnyOrgNode,
  Headline,
  Item,
  NodeProperty,
  OrgContent,
  OrgData,
  PlainList,
  Section,
  StatisticsCookie,
} from '../tree/nodes.ts'
import { headlines, walk } from '../tree/query.ts'
import { applyPatches, type Patch } from './edit.ts'
import { lineEnd, nextLine, pathTo, smallestPatch } from './lines.ts'

/** What a toggle does, and by which settings. */
export interface CheckboxRequest {
  /** Tick or untick (the default), add or remove the box, or write `[-]`. */
  change?: 'state' | 'presence' | 'partial'
  /** Cookies count direct children only: `org-checkbox-hierarchical-statistics`, default true. */
  hierarchical?: boolean
  /** Whether Emacs indents with tabs: `indent-tabs-mode`, default true. */
  indentTabs?: boolean
}

type Box = Item['checkbox']
type Boxes = Map<Item, Box>

function boxOf(item: Item, boxes: Boxes): Box {
  const changed = boxes.get(item)
  return changed === undefined ? item.checkbox : changed
}

/**
 * Patches that toggle an item's checkbox, or all those of a headline's entry, with everything that
 * depends on them: `org-toggle-checkbox`. Empty when nothing changes. Throws a RangeError when an
 * earlier box of an `ORDERED` entry is still empty, and when a headline has no list.
 */
export function toggleCheckbox(
  text: string,
  tree: OrgData,
  node: Item | Headline,
  request: CheckboxRequest = {},
): Patch[] {
  const path = pathTo(tree, node)
  const owner = ownerOf(path)
  const ordered = entryProperty(owner, 'ORDERED') !== null
  const boxes: Boxes = new Map()
  const lists = node.type === 'item' ? [outermostList(path)] : entryLists(node)
  const radio = node.type === 'item' && isRadioList(text, path.at(-2) as PlainList)
  if (node.type === 'item' && radio) pressRadio(node, path.at(-2) as PlainList, request, boxes)
  else toggleItems(text, lists, node, request, boxes)
  for (const list of lists) {
    const blocking = fixBoxes(list, boxes, ordered)
    if (blocking !== null && node.type === 'item' && !radio && isBefore(blocking, node)) {
      const line = blocking.position.start.line
      throw new RangeError(`The box is blocked by the empty one in line ${line}`)
    }
  }
  const recount = newRecount()
  countBoxes(owner, withoutGlued(text, boxes), request, recount)
  return [
    ...lists.flatMap((list) => listPatches(text, list, boxes, request)),
    ...cookiePatches(text, recount),
  ]
}

function isBefore(a: OrgContent, b: OrgContent): boolean {
  return a.position.start.offset < b.position.start.offset
}

function withoutGlued(text: string, boxes: Boxes): Boxes {
  const real = new Map(boxes)
  for (const [item, box] of boxes) {
    if (box === null || item.checkbox !== null) continue
    const line = itemLine(text, item)
    const [head, , , counter, gap] = itemPattern.exec(line)!
    if (counter !== undefined && gap === '' && head.length < line.length) real.set(item, null)
  }
  return real
}

type Owner = Headline | OrgData

function ownerOf(path: readonly AnyOrgNode[]): Owner {
  const isOwner = (node: AnyOrgNode) => node.type === 'headline' || node.type === 'org-data'
  return path.findLast(isOwner) as Owner
}

function outermostList(path: readonly AnyOrgNode[]): PlainList {
  let at = path.length - 2
  while (path[at - 1]?.type === 'item' && path[at - 2]?.type === 'plain-list') at -= 2
  return path[at] as PlainList
}

function sectionOf(owner: Owner): Section | null {
  const first = owner.children[0]
  return first?.type === 'section' ? first : null
}

function entryProperty(owner: Owner, name: string): string | null {
  const drawer = sectionOf(owner)?.children.find(({ type }) => type === 'property-drawer')
  let value: string | null = null
  for (const node of (drawer as { children: NodeProperty[] } | undefined)?.children ?? []) {
    const key = node.key.toUpperCase()
    if (key === name) value = node.value
    else if (key === `${name}+`) value = value === null ? node.value : `${value} ${node.value}`
  }
  return value === 'nil' ? null : value
}

const skippedAtTop = new Set(['planning', 'property-drawer', 'drawer', 'clock'])

function entryLists(headline: Headline): PlainList[] {
  const elements = sectionOf(headline)?.children ?? []
  const first = elements.findIndex(({ type }) => !skippedAtTop.has(type))
  const lists = first === -1 ? [] : [...outerLists(elements.slice(first))]
  if (lists.length === 0) throw new RangeError('There is no list under this headline')
  return lists
}

function* outerLists(nodes: readonly OrgContent[]): Generator<PlainList> {
  for (const node of nodes) {
    if (node.type === 'plain-list') yield node
    else if (node.type !== 'paragraph' && 'children' in node) yield* outerLists(node.children)
  }
}

function subLists(item: Item): PlainList[] {
  return item.children.filter((child) => child.type === 'plain-list') as PlainList[]
}

function* itemsOf(list: PlainList): Generator<Item> {
  for (const item of list.children) {
    yield item
    for (const inner of subLists(item)) yield* itemsOf(inner)
  }
}

function toggleItems(
  text: string,
  lists: readonly PlainList[],
  node: Item | Headline,
  { change = 'state' }: CheckboxRequest,
  boxes: Boxes,
): void {
  const first = node.type === 'item' ? node : lists[0]!.children[0]!
  const line = itemLine(text, first)
  const [head, , , counter = ''] = itemPattern.exec(line)!
  const unseen = head.length === line.length || /[a-z]\]$/i.test(counter)
  const box = changedBox(unseen ? null : first.checkbox, change)
  const items = node.type === 'item' ? [node] : lists.flatMap((list) => [...itemsOf(list)])
  for (const item of items) {
    if (item.checkbox !== null || change === 'presence') boxes.set(item, box)
  }
}

function changedBox(box: Box, change: CheckboxRequest['change']): Box {
  if (change === 'partial') return 'trans'
  if (change === 'presence') return box === null ? 'off' : null
  return box === 'on' ? 'off' : 'on'
}

function isRadioList(text: string, list: PlainList): boolean {
  const above = text.slice(list.position.start.offset, list.postAffiliated)
  const lines = above.match(/^[ \t]*#\+attr_org:.* :radio \S+/gim) ?? []
  return lines.length > 0 && !lines.at(-1)!.endsWith(' nil')
}

function pressRadio(item: Item, list: PlainList, request: CheckboxRequest, boxes: Boxes): void {
  const { change = 'state' } = request
  const box = item.checkbox
  const removed = change === 'presence' && box !== null && item === list.children[0]
  for (const other of list.children) boxes.set(other, removed ? null : 'off')
  if (removed) return
  if (change === 'state') boxes.set(item, box === 'on' ? 'off' : 'on')
  else boxes.set(item, box !== null ? null : change === 'presence' ? 'off' : 'trans')
}

function fixParents(list: PlainList, boxes: Boxes): void {
  for (const item of list.children) {
    const inner = subLists(item)
    for (const sub of inner) fixParents(sub, boxes)
    if (boxOf(item, boxes) === null) continue
    const below = new Set(inner.flatMap((sub) => sub.children.map((child) => boxOf(child, boxes))))
    const on = below.has('on')
    const off = below.has('off')
    if (below.has('trans') || (on && off)) boxes.set(item, 'trans')
    else if (on || off) boxes.set(item, on ? 'on' : 'off')
  }
}

/** Sets the boxes above others right; returns the empty box that ends an ordered list, if any. */
function fixBoxes(list: PlainList, boxes: Boxes, ordered: boolean): Item | null {
  fixParents(list, boxes)
  if (!ordered) return null
  const items = [...itemsOf(list)]
  const first = items.findIndex((item) => boxOf(item, boxes) === 'off')
  if (first === -1) return null
  const after = items.slice(first)
  if (!after.some((item) => boxOf(item, boxes) === 'on')) return null
  for (const item of after) if (boxOf(item, boxes) !== null) boxes.set(item, 'off')
  fixParents(list, boxes)
  return items[first]!
}

const itemPattern =
  /^([ \t]*(?:[-+*]|\d+[.)]))([ \t]*)(\[@(?:start:)?(?:\d+|[A-Za-z])\])?([ \t]*)(\[[ X-]\](?=[ \t]|$))?/
const boxText = { on: '[X]', off: '[ ]', trans: '[-]' }

function itemPatch(text: string, item: Item, box: Box): Patch[] {
  const begin = item.position.start.offset
  const line = text.slice(begin, lineEnd(text, begin))
  const [all, mark, blanks, counter = '', gap, had] = itemPattern.exec(line)!
  const from = begin + mark!.length
  const head = counter === '' ? ' ' : ` ${counter}`
  if (had === undefined) {
    const end = from + blanks!.length + counter.length
    const added = counter === '' ? `${boxText[box!]} ` : boxText[box!]
    return smallestPatch(text, from, end, head + added)
  }
  const kept = counter === '' ? head : head + gap
  const end = begin + all.length
  if (box !== null) return smallestPatch(text, from, end, kept + boxText[box])
  return smallestPatch(text, from, end, kept.replace(/[ \t]+$/, ''))
}

function listPatches(
  text: string,
  list: PlainList,
  boxes: Boxes,
  { indentTabs = true }: CheckboxRequest,
): Patch[] {
  const items = [...itemsOf(list)]
  const changed = items.filter((item) => boxOf(item, boxes) !== item.checkbox)
  const patches = changed.flatMap((item) => itemPatch(text, item, boxOf(item, boxes)))
  const starts = new Set(items.map((item) => item.position.start.offset))
  const enders = new Map<number, Item>()
  for (const item of items) {
    const end = item.position.end.offset
    if (!starts.has(end) && !enders.has(end)) enders.set(end, item)
  }
  const bounds = [...starts, ...enders.keys()].sort((a, b) => a - b)
  bounds.slice(0, -1).forEach((up, index) => {
    const ender = enders.get(up)
    if (ender === undefined) return
    patches.push(
      ...shiftPatches(text, up, bounds[index + 1]!, indentation(text, ender), indentTabs),
    )
  })
  return patches
}

function indentation(text: string, item: Item): number {
  return stringWidth(/^[ \t]*/.exec(itemLine(text, item))![0])
}

function itemLine(text: string, item: Item): string {
  const begin = item.position.start.offset
  return text.slice(begin, lineEnd(text, begin))
}

function shiftPatches(
  text: string,
  from: number,
  to: number,
  column: number,
  tabs: boolean,
): Patch[] {
  const lines = linesBetween(text, from, to).filter(({ blank }) => !blank)
  let least = Infinity
  let inDrawer = false
  for (const { words, width } of lines) {
    if (!inDrawer) least = Math.min(least, width)
    if (inDrawer ? /^:END:[ \t]*$/i.test(words) : /^:[\w-]+:[ \t]*$/.test(words))
      inDrawer = !inDrawer
  }
  const delta = column - least
  if (delta === 0 || lines.length === 0) return []
  return lines.flatMap(({ begin, indent, width }) => {
    const put = indentTo(indent, Math.max(0, width + delta), tabs)
    return smallestPatch(text, begin, begin + indent.length, put)
  })
}

interface ListLine {
  begin: number
  indent: string
  width: number
  words: string
  blank: boolean
}

function linesBetween(text: string, from: number, to: number): ListLine[] {
  const lines: ListLine[] = []
  for (let begin = from; begin < to; ) {
    const line = text.slice(begin, lineEnd(text, begin))
    const indent = /^[ \t]*/.exec(line)![0]
    const words = line.slice(indent.length)
    lines.push({ begin, indent, width: stringWidth(indent), words, blank: words === '' })
    begin = nextLine(text, begin)
  }
  return lines
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

function newRecount(): Recount {
  return { values: new Map(), aligned: new Set() }
}

function hasWord(data: string | null, word: string): boolean {
  return (
    data !== null && new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, 'iu').test(data)
  )
}

function countBoxes(
  owner: Owner,
  boxes: Boxes,
  { hierarchical = true }: CheckboxRequest,
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

function cookiePatches(text: string, { values, aligned }: Recount): Patch[] {
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
  request: CheckboxRequest = {},
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
  request: CheckboxRequest = {},
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
