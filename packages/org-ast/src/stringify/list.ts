import { escapePattern } from '../objects/radio.ts'
import { blanksTo } from '../text/columns.ts'
import { indentationOf, indentLength, indentLine, isVisible } from './text.ts'

/** A bullet with a single blank behind it. */
export function bulletString(bullet: string): string {
  return `${bullet.trim()} `
}

const itemPattern = /^(?:[ \t]*(?:[-+]|[0-9]+[.)])|[ \t]+\*)(?:[ \t]+|$)/
const partsPattern =
  /^[ \t]*((?:[-+*]|(?:[0-9]+|[A-Za-z])[.)])(?:[ \t]+|$))(?:\[@(?:start:)?([0-9]+|[A-Za-z])\][ \t]*)?(\[[ X-]\](?=[ \t]|$))?/

interface Item {
  readonly line: number
  indent: number
  bullet: string
  readonly counter: string | null
  checkbox: string | null
  /** The line after its last one. */
  end: number
  /** Index of the item that this one is below, or -1. */
  parent: number
}

function readItem(lines: readonly string[], line: number): Item {
  const text = lines[line]!
  const parts = partsPattern.exec(text)
  return {
    line,
    indent: indentationOf(text),
    bullet: parts?.[1] ?? '',
    counter: parts?.[2] ?? null,
    checkbox: parts?.[3] ?? null,
    end: -1,
    parent: -1,
  }
}

interface Ending {
  indent: number
  line: number
}

function readItems(lines: readonly string[]): { items: Item[]; endings: Ending[] } {
  const items = [readItem(lines, 0)]
  const endings: Ending[] = []
  const toEnd = nextLine(lines, /^[ \t]*#\+end_/i)
  const toDrawerEnd = nextLine(lines, /^[ \t]*:END:/i)
  let line = 1
  for (; line < lines.length; line++) {
    const text = lines[line]!
    if (itemPattern.test(text)) {
      const item = readItem(lines, line)
      items.push(item)
      endings.push({ indent: item.indent, line })
      continue
    }
    if (isEmpty(text)) {
      if (line + 1 < lines.length && isEmpty(lines[line + 1]!)) break
      continue
    }
    const indent = indentationOf(text)
    if (indent === 0) break
    if (indent <= items.at(-1)!.indent) endings.push({ indent, line })
    if (/^[ \t]*#\+begin_/i.test(text)) line = toEnd(line)
    else if (drawerPattern.test(text)) line = toDrawerEnd(line)
  }
  const twoEmpty = line < lines.length && isEmpty(lines[line]!)
  let end = line
  if (!twoEmpty) while (end > 0 && isEmpty(lines[end - 1]!)) end--
  endings.push({ indent: 0, line: end })
  return { items, endings }
}

const drawerPattern = /^[ \t]*:[-_\p{L}\p{N}]+:[ \t]*$/u

function isEmpty(line: string): boolean {
  return indentLength(line) === line.length
}

/** A search for the first line from a given one on that matches; the given line without any. */
function nextLine(lines: readonly string[], pattern: RegExp): (from: number) => number {
  let at = 0
  return (from) => {
    at = Math.max(at, from)
    while (at < lines.length && !pattern.test(lines[at]!)) at++
    return at < lines.length ? at : from
  }
}

function setEnds(items: readonly Item[], endings: readonly Ending[]): void {
  const stack: Ending[] = []
  let next = endings.length - 1
  for (const item of items.toReversed()) {
    for (; next >= 0 && endings[next]!.line > item.line; next--) {
      const ending = endings[next]!
      while (stack.length > 0 && stack.at(-1)!.indent >= ending.indent) stack.pop()
      stack.push(ending)
    }
    let low = 0
    let high = stack.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (stack[middle]!.indent <= item.indent) low = middle
      else high = middle - 1
    }
    item.end = stack[low]?.line ?? item.end
  }
}

function setParents(items: readonly Item[]): void {
  const open = [{ indent: items[0]!.indent, parent: -1 }]
  for (const [index, item] of items.entries()) {
    if (index === 0) continue
    if (open.at(-1)!.indent < item.indent) open.push({ indent: item.indent, parent: index - 1 })
    while (open.length > 0 && open.at(-1)!.indent > item.indent) open.pop()
    if (open.length === 0) open.push({ indent: item.indent, parent: -1 })
    item.parent = open.at(-1)!.parent
  }
}

function setIndents(items: readonly Item[], bulletWidth?: number): void {
  const top = items[0]!.indent
  for (const item of items.slice(1)) {
    const parent = items[item.parent]
    const width = bulletWidth ?? parent?.bullet.length ?? 0
    item.indent = parent === undefined ? top : parent.indent + width
  }
}

function endsAgain(items: readonly Item[]): void {
  const starts = new Set(items.map((item) => item.line))
  const endings: Ending[] = []
  for (const [item, around] of withItemAround(items)) {
    if (!starts.has(item.end)) {
      endings.push({ indent: around === null ? 0 : around.indent + 2, line: item.end })
    }
    endings.push({ indent: item.indent, line: item.line })
  }
  endings.reverse()
  endings.sort((one, other) => one.line - other.line)
  setEnds(items, endings)
}

/** Each item with the last one before it that ends later, or null. */
function* withItemAround(items: readonly Item[]): Generator<[Item, Item | null]> {
  const open: Item[] = []
  for (const item of items) {
    while (open.length > 0 && open.at(-1)!.end <= item.end) open.pop()
    yield [item, open.at(-1) ?? null]
    open.push(item)
  }
}

function setBullets(items: readonly Item[]): void {
  const endingAt = new Map<number, Item>()
  for (const item of items) {
    if (!endingAt.has(item.end)) endingAt.set(item.end, item)
  }
  for (const item of items) {
    const last = endingAt.get(item.line)
    const base = last === undefined ? item.bullet : last.bullet
    const counted = item.counter !== null && /[0-9]/.test(item.counter) ? item.counter : null
    const number = counted ?? (last === undefined ? '1' : increased(base))
    item.bullet = bulletString(base.replace(/[0-9]+/, number))
  }
}

function increased(bullet: string): string {
  return String(BigInt(/[0-9]+/.exec(bullet)?.[0] ?? 0) + 1n)
}

function setBoxes(items: readonly Item[]): void {
  const below = new Map<Item, Set<string>>()
  for (const item of items.toReversed()) {
    const boxes = below.get(item)
    if (boxes !== undefined && item.checkbox !== null) {
      const mixed = boxes.has('[-]') || (boxes.has('[ ]') && boxes.has('[X]'))
      if (mixed) item.checkbox = '[-]'
      else if (boxes.has('[X]')) item.checkbox = '[X]'
      else if (boxes.has('[ ]')) item.checkbox = '[ ]'
    }
    const parent = items[item.parent]
    if (parent === undefined || item.checkbox === null) continue
    const known = below.get(parent)
    if (known === undefined) below.set(parent, new Set([item.checkbox]))
    else known.add(item.checkbox)
  }
}

/** An item as it was and as it is to be. */
interface Change {
  old: Item
  now: Item
}

interface Slice {
  from: number
  to: number
  /** Columns to move by. */
  delta: number
  /** The item that begins here; null behind a sub-list. */
  item: Change | null
}

function slices(items: readonly Item[], old: readonly Item[], lines: readonly string[]): Slice[] {
  const byLine = new Map(items.map((item, index) => [item.line, index]))
  const endingAt = new Map<number, number>()
  for (const [index, item] of old.entries()) {
    if (!endingAt.has(item.end)) endingAt.set(item.end, index)
  }
  const places = [...new Set([...byLine.keys(), ...endingAt.keys()])].sort((a, b) => a - b)
  return places.slice(0, -1).map((from, place) => {
    const to = places[place + 1]!
    const index = byLine.get(from)
    if (index === undefined) {
      const ended = items[endingAt.get(from)!]!
      return { from, to, delta: ended.indent - leastIndent(lines, from, to), item: null }
    }
    const item = items[index]!
    const before = old[index]!
    const delta = item.indent + item.bullet.length - before.indent - before.bullet.length
    return { from, to, delta, item: { old: before, now: item } }
  })
}

function leastIndent(lines: readonly string[], from: number, to: number): number {
  let least = Infinity
  for (let line = from; line < to; line++) {
    const text = lines[line]!
    if (isEmpty(text)) continue
    least = Math.min(least, indentationOf(text))
    const end = text.startsWith('#+') ? blockEnd(text) : drawerPattern.test(text) ? drawerEnd : null
    if (end === null) continue
    let at = line
    while (at < to && !end.test(lines[at]!)) at++
    if (at < to) line = at
  }
  return least
}

const drawerEnd = /^[ \t]*:END:[ \t]*$/i

function blockEnd(line: string): RegExp | null {
  const name = /^#\+begin(:|_[^\s]+)/i.exec(line)?.[1]
  return name === undefined
    ? null
    : new RegExp(`^[ \\t]*#\\+end${escapePattern(name)}[ \\t]*$`, 'i')
}

function moveLines(lines: string[], { from, to, delta, item }: Slice, tabs: boolean): void {
  if (delta === 0) return
  const least = item === null ? 0 : item.now.indent + 1
  for (let line = to - 1; line >= from; line--) {
    const text = lines[line]!
    if (line === from && itemPattern.test(text)) return
    if (!isVisible(text)) continue
    lines[line] = indentLine(text, Math.max(indentationOf(text) + delta, least), tabs)
  }
}

function rewriteItem(text: string, { old, now }: Change, tabs: boolean): string {
  const parts = partsPattern.exec(text)!
  const indent = text.slice(0, indentLength(text))
  const bullet = parts[1]!
  let details = text.slice(indent.length + bullet.length, parts[0].length)
  if (parts[3] !== undefined && now.checkbox !== null) {
    details = details.slice(0, -parts[3].length) + now.checkbox
  }
  const newBullet = now.bullet === old.bullet ? bullet : now.bullet
  const newIndent = indentationOf(text) === now.indent ? indent : blanksTo(0, now.indent, tabs)
  return newIndent + newBullet + details + text.slice(parts[0].length)
}

function isChanged({ old, now }: Change): boolean {
  return old.indent !== now.indent || old.bullet !== now.bullet || old.checkbox !== now.checkbox
}

/**
 * The lines of a list as `org-list-repair` leaves them, as many as there were. The first line has
 * to begin with a bullet in the first column. With `tabs`, indentation is made of tabs.
 */
export function repairList(lines: readonly string[], tabs: boolean): string[] {
  const { items, endings } = readItems(lines)
  setEnds(items, endings)
  setParents(items)
  const old = items.map((item) => ({ ...item }))
  setIndents(items, 2)
  endsAgain(items)
  setBullets(items)
  setIndents(items)
  setBoxes(items)
  const written = [...lines]
  for (const slice of slices(items, old, lines).reverse()) {
    moveLines(written, slice, tabs)
    if (slice.item === null || !isChanged(slice.item)) continue
    written[slice.from] = rewriteItem(written[slice.from]!, slice.item, tabs)
  }
  return written
}
