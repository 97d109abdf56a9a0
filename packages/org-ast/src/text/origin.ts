import { LineIndex, type Point } from './lines.ts'

/** How far something moves. */
export interface Shift {
  offset: number
  line: number
}

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

/** How many entries a run holds at most. */
export const runLength = 64

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
  runs: Run[] = []
  /** How many there are. */
  count = 0

  /** A run with room for one more entry at the end. */
  room(): Run {
    const last = this.runs.at(-1)
    if (last !== undefined && last.heads.length < runLength) return last
    const run = new Run()
    this.runs.push(run)
    return run
  }

  /** Adds an entry at the end; its origins belong to `room()`. */
  push(head: Origin, body: Origin): void {
    const run = this.runs.at(-1)!
    run.heads.push(head)
    run.bodies.push(body)
    this.count++
  }
}
