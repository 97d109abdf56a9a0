import { indentTo, stringWidth } from '../text/columns.ts'
import type { Headline, Item, OrgContent, OrgData, PlainList } from '../tree/nodes.ts'
import { type CookieRequest, cookiePatches, countBoxes, newRecount } from './cookies.ts'
import type { Patch } from './edit.ts'
import {
  type Box,
  type Boxes,
  boxOf,
  entryLists,
  entryProperty,
  itemsOf,
  outermostList,
  ownerOf,
  subLists,
} from './entry-lists.ts'
import { lineEnd, nextLine, pathTo, smallestPatch } from './lines.ts'

/** What a toggle does, and by which settings. */
export interface CheckboxRequest extends CookieRequest {
  /** Tick or untick (the default), add or remove the box, or write `[-]`. */
  change?: 'state' | 'presence' | 'partial'
  /** Whether Emacs indents with tabs: `indent-tabs-mode`, default true. */
  indentTabs?: boolean
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
