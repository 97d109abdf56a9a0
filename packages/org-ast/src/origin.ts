import { LineIndex } from './lines.ts'
import type { Point } from './nodes.ts'

/** Where a piece of text that was parsed in one go is now. */
export class Origin {
  /** The lines of the text as it was parsed. */
  readonly lines: LineIndex
  /** Which part of that text this is. */
  readonly begin: number
  readonly end: number
  #run: Run
  #offset = 0
  #line = 0

  constructor(lines: LineIndex, begin: number, end: number, run: Run) {
    this.lines = lines
    this.begin = begin
    this.end = end
    this.#run = run
  }

  /** What to add to an offset in the text as it was parsed. */
  get offset(): number {
    return this.#offset + this.#run.offset
  }

  /** What to add to a line number in that text. */
  get line(): number {
    return this.#line + this.#run.line
  }

  /** The characters of this part. */
  get text(): string {
    return this.lines.text.slice(this.begin, this.end)
  }

  /** The present place of an offset in the text as it was parsed. */
  point(at: number): Point {
    const { line, column, offset } = this.lines.point(at)
    return { line: line + this.line, column, offset: offset + this.offset }
  }

  /** Puts the origin into a run, with what to add to its offsets and lines. */
  place(run: Run, at: Shift): void {
    this.#run = run
    this.#offset = at.offset - run.offset
    this.#line = at.line - run.line
  }
}

/** The origin of what always begins where the file does. */
export function startOfFile(): Origin {
  return new Origin(new LineIndex(''), 0, 0, new Run())
}

const runLength = 64

/** Neighbouring entries, which move together. */
export class Run {
  offset = 0
  line = 0
  /** Where each entry's headline is; empty for what stands above the first. */
  heads: Origin[] = []
  /** Where the text below each headline is. */
  bodies: Origin[] = []
}

/** The origins of a whole file, in its order. */
export class Entries {
  #runs: Run[] = []
  #count = 0

  /** How many there are. */
  get count(): number {
    return this.#count
  }

  /** A run with room for one more entry at the end. */
  room(): Run {
    const last = this.#runs.at(-1)
    if (last !== undefined && last.heads.length < runLength) return last
    const run = new Run()
    this.#runs.push(run)
    return run
  }

  /** Adds an entry at the end; its origins belong to `room()`. */
  push(head: Origin, body: Origin): void {
    const run = this.#runs.at(-1)!
    run.heads.push(head)
    run.bodies.push(body)
    this.#count++
  }

  /** The origin of an entry's headline. */
  head(entry: number): Origin {
    const { run, index } = this.#find(entry)
    return run.heads[index]!
  }

  /** The origin of what is below an entry's headline. */
  body(entry: number): Origin {
    const { run, index } = this.#find(entry)
    return run.bodies[index]!
  }

  /** The entry that holds the character at an offset; the last one for the end of the file. */
  at(offset: number): number {
    const runs = this.#runs
    const at = lastAtMost(runs.length, offset, (one) => startOf(runs[one]!.heads[0]!))
    const { heads } = runs[at]!
    let entry = lastAtMost(heads.length, offset, (one) => startOf(heads[one]!))
    for (let before = 0; before < at; before++) entry += runs[before]!.heads.length
    return entry
  }

  /** Where an entry begins now. */
  start(entry: number): number {
    return startOf(this.head(entry))
  }

  /** The text of the entries from one to another, that one excluded. */
  text(from: number = 0, to: number = this.#count): string {
    const parts: string[] = []
    let { at, index } = this.#find(from)
    let last: Origin | null = null
    let begin = 0
    for (let entry = from; entry < to; entry++, index++) {
      if (index === this.#runs[at]!.heads.length) [at, index] = [at + 1, 0]
      const { heads, bodies } = this.#runs[at]!
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

  #find(entry: number): { run: Run; at: number; index: number } {
    const runs = this.#runs
    let index = entry
    let at = 0
    while (at < runs.length - 1 && index >= runs[at]!.heads.length) {
      index -= runs[at]!.heads.length
      at++
    }
    return { run: runs[at]!, at, index }
  }

  /**
   * The entries with those from `from` to `to`, that one excluded, replaced by others, and all
   * behind them moved. What is moved is moved for good: of two lists that share entries only the
   * later one may be asked for places. New origins have their places already.
   */
  replaced(from: number, to: number, put: readonly Placed[], by: Shift): Entries {
    const first = this.#find(from)
    const last = this.#find(to)
    const joined: Placed[] = []
    for (let at = 0; at < first.index; at++) joined.push(placed(first.run, at, still))
    // Not spread: arguments go on the stack, and there may be a million.
    for (const one of put) joined.push(one)
    for (let at = last.index; at < last.run.heads.length; at++)
      joined.push(placed(last.run, at, by))
    const entries = new Entries()
    entries.#runs = [
      ...this.#runs.slice(0, first.at),
      ...runsOf(joined),
      ...this.#runs.slice(last.at + 1),
    ]
    entries.#count = this.#count - (to - from) + put.length
    for (const run of this.#runs.slice(last.at + 1)) {
      run.offset += by.offset
      run.line += by.line
    }
    return entries
  }
}

function startOf(origin: Origin): number {
  return origin.begin + origin.offset
}

function lastAtMost(count: number, offset: number, start: (at: number) => number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (start(middle) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** How far something moves. */
export interface Shift {
  offset: number
  line: number
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
