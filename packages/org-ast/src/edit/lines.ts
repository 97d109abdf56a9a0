import type { AnyOrgNode, OrgContent, OrgData } from '../tree/nodes.ts'
import { childAt } from '../tree/query.ts'
import type { Patch } from './edit.ts'

/** The nodes from the root down to this one, both included. Throws a RangeError if not in the tree. */
export function pathTo(tree: OrgData, node: OrgContent): AnyOrgNode[] {
  const offset = node.startOffset
  const path: AnyOrgNode[] = [tree]
  for (let at: AnyOrgNode = tree; at !== node; path.push(at)) {
    const next: AnyOrgNode | undefined = 'children' in at ? childAt(at.children, offset) : undefined
    if (next === undefined) throw new RangeError(`The ${node.type} is not in this tree`)
    at = next
  }
  return path
}

/** The line break of this file. */
export function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Where the line around an offset begins. */
export function lineStart(text: string, from: number): number {
  return from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1
}

/** Where the line around an offset ends, without its line break. */
export function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  if (end === -1) return text.length
  return end > from && text[end - 1] === '\r' ? end - 1 : end
}

/** Where the next line begins; the text's end after the last line. */
export function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end + 1
}

/** The patch that puts a text in a range, without what both begin and end with; none if alike. */
export function smallestPatch(text: string, begin: number, end: number, put: string): Patch[] {
  const length = Math.min(end - begin, put.length)
  let head = 0
  while (head < length && text[begin + head] === put[head]) head++
  let tail = 0
  while (tail < length - head && text[end - 1 - tail] === put[put.length - 1 - tail]) tail++
  if (head + tail === put.length && head + tail === end - begin) return []
  return [{ begin: begin + head, end: end - tail, text: put.slice(head, put.length - tail) }]
}

/** Patches that put a text in a range and leave alone the lines that occur once in both. */
export function linePatches(text: string, begin: number, end: number, put: string): Patch[] {
  const [whole] = smallestPatch(text, begin, end, put)
  if (whole === undefined) return []
  const head = Math.max(lineStart(text, whole.begin), begin)
  const foot = Math.min(nextLine(text, whole.end), end)
  const putEnd = put.length - (end - foot)
  const old = text.slice(head, foot)
  const wanted = put.slice(head - begin, putEnd)
  const patches: Patch[] = []
  let [from, putFrom] = [0, 0]
  for (const [at, putAt, length] of landmarks(old, wanted)) {
    patches.push(...smallestPatch(text, head + from, head + at, wanted.slice(putFrom, putAt)))
    from = at + length
    putFrom = putAt + length
  }
  return [...patches, ...smallestPatch(text, head + from, foot, wanted.slice(putFrom))]
}

type Landmark = [at: number, putAt: number, length: number]

function landmarks(old: string, put: string): Landmark[] {
  const there = singleLines(put)
  const common: Landmark[] = []
  for (const [line, at] of singleLines(old)) {
    const putAt = there.get(line)
    if (putAt !== undefined) common.push([at, putAt, line.length])
  }
  const ends: number[] = [] // the mark that ends the best row of each length
  const before = common.map(([, putAt], index) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (common[ends[middle]!]![1] < putAt) low = middle + 1
      else high = middle
    }
    ends[low] = index
    return low > 0 ? ends[low - 1]! : -1
  })
  const row: Landmark[] = []
  for (let at = ends.at(-1) ?? -1; at !== -1; at = before[at]!) row.push(common[at]!)
  return row.reverse()
}

/** The lines that occur once, with their line breaks, and where they begin. */
function singleLines(text: string): Map<string, number> {
  const found = new Map<string, number>()
  const seen = new Set<string>()
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const line = text.slice(at, nextLine(text, at))
    if (seen.has(line)) found.delete(line)
    else found.set(line, at)
    seen.add(line)
  }
  return found
}

/** The patches with those that touch joined; they must be in order and not overlap. */
export function joinPatches(patches: readonly Patch[]): Patch[] {
  const joined: Patch[] = []
  for (const { begin, end, text } of patches) {
    const last = joined.at(-1)
    if (last === undefined || last.end < begin) joined.push({ begin, end, text })
    else joined[joined.length - 1] = { begin: last.begin, end, text: last.text + text }
  }
  return joined
}

/** A line as it should be; `at` is where it begins now, or null for a new line. */
export interface NewLine {
  at: number | null
  text: string
}

/** Patches that turn the lines from `begin` to `end` into these. */
export function rewriteLines(
  text: string,
  begin: number,
  end: number,
  lines: readonly NewLine[],
): Patch[] {
  const newline = newlineOf(text)
  const patches: Patch[] = []
  let at = begin
  let open = false // whether the line before has no line break yet
  for (const line of lines) {
    if (line.at === null) {
      patches.push({ begin: at, end: at, text: (open ? newline : '') + line.text + newline })
      open = false
      continue
    }
    if (line.at > at) patches.push({ begin: at, end: line.at, text: '' })
    const stop = lineEnd(text, line.at)
    at = nextLine(text, stop)
    open = at === stop
    const changed = text.slice(line.at, stop) !== line.text
    patches.push(...smallestPatch(text, line.at, stop, line.text))
    if (changed && open) patches.push({ begin: stop, end: stop, text: newline })
    if (changed) open = false
  }
  if (at < end) patches.push({ begin: at, end, text: '' })
  return joinPatches(patches)
}
