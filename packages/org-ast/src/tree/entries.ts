import { lastAtMost } from '../text/lines.ts'
import { Entries, type Origin, Run, runLength, type Shift } from '../text/origin.ts'

function find({ runs }: Entries, entry: number): { run: Run; at: number; index: number } {
  let index = entry
  let at = 0
  while (at < runs.length - 1 && index >= runs[at]!.heads.length) {
    index -= runs[at]!.heads.length
    at++
  }
  return { run: runs[at]!, at, index }
}

/** The origin of an entry's headline. */
export function headOf(entries: Entries, entry: number): Origin {
  const { run, index } = find(entries, entry)
  return run.heads[index]!
}

/** The origin of what is below an entry's headline. */
export function bodyOf(entries: Entries, entry: number): Origin {
  const { run, index } = find(entries, entry)
  return run.bodies[index]!
}

/** Where an entry begins now. */
export function startOf(entries: Entries, entry: number): number {
  return placeOf(headOf(entries, entry))
}

function placeOf(origin: Origin): number {
  return origin.begin + origin.offset
}

/** The entry that holds the character at an offset; the last one for the end of the file. */
export function entryAt({ runs }: Entries, offset: number): number {
  const at = lastAtMost(runs.length, offset, (one) => placeOf(runs[one]!.heads[0]!))
  const { heads } = runs[at]!
  let entry = lastAtMost(heads.length, offset, (one) => placeOf(heads[one]!))
  for (let before = 0; before < at; before++) entry += runs[before]!.heads.length
  return entry
}

/** The text of the entries from one to another, that one excluded; of all by default. */
export function textOf(entries: Entries, from: number = 0, to: number = entries.count): string {
  const { runs } = entries
  const parts: string[] = []
  let { at, index } = find(entries, from)
  let last: Origin | null = null
  let begin = 0
  for (let entry = from; entry < to; entry++, index++) {
    if (index === runs[at]!.heads.length) [at, index] = [at + 1, 0]
    const { heads, bodies } = runs[at]!
    for (const origin of [heads[index]!, bodies[index]!]) {
      if (last?.lines !== origin.lines || last.end !== origin.begin) {
        if (last !== null) parts.push(last.lines.text.slice(begin, last.end))
        begin = origin.begin
      }
      last = origin
    }
  }
  if (last !== null) parts.push(last.lines.text.slice(begin, last.end))
  return parts.join('')
}

/** An entry's two origins, and what to add to their offsets and lines to be where they belong. */
export interface Placed {
  head: Origin
  body: Origin
  headAt: Shift
  bodyAt: Shift
}

/** No way at all. */
export const still: Shift = { offset: 0, line: 0 }

function placed(run: Run, index: number, by: Shift): Placed {
  const [head, body] = [run.heads[index]!, run.bodies[index]!]
  return { head, body, headAt: moved(head, by), bodyAt: moved(body, by) }
}

/** The place of an origin after a shift. */
export function moved(origin: Origin, by: Shift): Shift {
  return { offset: origin.offset + by.offset, line: origin.line + by.line }
}

/**
 * The entries with those from `from` to `to`, that one excluded, replaced by others, and all
 * behind them moved. What is moved is moved for good: of two lists that share entries only the
 * later one may be asked for places. New origins have their places already.
 */
export function replaceEntries(
  before: Entries,
  from: number,
  to: number,
  put: readonly Placed[],
  by: Shift,
): Entries {
  const { runs } = before
  const first = find(before, from)
  const last = find(before, to)
  const joined: Placed[] = []
  for (let at = 0; at < first.index; at++) joined.push(placed(first.run, at, still))
  for (const one of put) joined.push(one)
  for (let at = last.index; at < last.run.heads.length; at++) joined.push(placed(last.run, at, by))
  const behind = runs.slice(last.at + 1)
  const entries = new Entries()
  entries.runs = [...runs.slice(0, first.at), ...runsOf(joined), ...behind]
  entries.count = before.count - (to - from) + put.length
  for (const run of behind) {
    run.offset += by.offset
    run.line += by.line
  }
  return entries
}

function runsOf(entries: readonly Placed[]): Run[] {
  const runs: Run[] = []
  for (let from = 0; from < entries.length; from += runLength) {
    const run = new Run()
    for (const { head, body, headAt, bodyAt } of entries.slice(from, from + runLength)) {
      head.place(run, headAt)
      body.place(run, bodyAt)
      run.heads.push(head)
      run.bodies.push(body)
    }
    runs.push(run)
  }
  return runs
}
