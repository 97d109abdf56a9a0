/** One line: in both texts, only in the one before, or only in the one after. */
export interface LineStep {
  kind: 'same' | 'out' | 'in'
  line: string
}

/** More changes than this are not searched for. */
const changesMax = 500

const linesOf = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** The way from one text to another, line by line; of equal ways one that takes out before it puts in. */
export function lineDiff(before: string, after: string): LineStep[] {
  const one = linesOf(before)
  const other = linesOf(after)
  let head = 0
  while (head < one.length && head < other.length && one[head] === other[head]) head++
  let tail = 0
  const most = Math.min(one.length, other.length) - head
  while (tail < most && one.at(-1 - tail) === other.at(-1 - tail)) tail++
  const out = one.slice(head, one.length - tail)
  const put = other.slice(head, other.length - tail)
  const middle = shortest(out, put) ?? [...steps('out', out), ...steps('in', put)]
  const end = one.slice(one.length - tail)
  return [...steps('same', one.slice(0, head)), ...middle, ...steps('same', end)]
}

function steps(kind: LineStep['kind'], lines: readonly string[]): LineStep[] {
  return lines.map((line) => ({ kind, line }))
}

function shortest(one: readonly string[], other: readonly string[]): LineStep[] | null {
  const reached: Map<number, number>[] = []
  let farthest = new Map([[1, 0]])
  for (let count = 0; count <= Math.min(changesMax, one.length + other.length); count++) {
    const next = new Map<number, number>()
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let at = startOn(farthest, diagonal, count)
      while (at < one.length && at - diagonal < other.length && one[at] === other[at - diagonal])
        at++
      next.set(diagonal, at)
    }
    reached.push(farthest)
    farthest = next
    if (next.get(one.length - other.length) === one.length) return wayBack(reached, one, other)
  }
  return null
}

/** Whether a diagonal is entered by a line that is put in, and not by one that is taken out. */
function isByPut(farthest: ReadonlyMap<number, number>, diagonal: number, count: number): boolean {
  if (diagonal === -count || diagonal === count) return diagonal === -count
  return farthest.get(diagonal - 1)! < farthest.get(diagonal + 1)!
}

function startOn(farthest: ReadonlyMap<number, number>, diagonal: number, count: number): number {
  const isPut = isByPut(farthest, diagonal, count)
  return isPut ? farthest.get(diagonal + 1)! : farthest.get(diagonal - 1)! + 1
}

function wayBack(
  reached: readonly Map<number, number>[],
  one: readonly string[],
  other: readonly string[],
): LineStep[] {
  const way: LineStep[] = []
  let at = one.length
  let to = other.length
  for (let count = reached.length - 1; count >= 0; count--) {
    const diagonal = at - to
    const start = startOn(reached[count]!, diagonal, count)
    for (; at > start; at--, to--) way.push({ kind: 'same', line: one[at - 1]! })
    if (count === 0) break
    if (isByPut(reached[count]!, diagonal, count)) way.push({ kind: 'in', line: other[--to]! })
    else way.push({ kind: 'out', line: one[--at]! })
  }
  return way.reverse()
}
