import type { Point, Position } from './nodes.ts'

/** Where the lines of a text are. Line numbers in this class count from zero. */
export class LineIndex {
  readonly text: string
  /** Number of lines; a text that ends in a newline has no empty line after it. */
  readonly count: number
  /** Offset of each line's first character; one more entry holds the text's length. */
  readonly starts: Int32Array
  /** Offset past each line's last character, before its terminator. */
  readonly ends: Int32Array
  /** Offset of each line's first visible character, or its end when it is blank. */
  readonly first: Int32Array
  #last = 0

  constructor(text: string) {
    this.text = text
    this.count = countLines(text)
    this.starts = new Int32Array(this.count + 1)
    this.ends = new Int32Array(this.count)
    this.first = new Int32Array(this.count)
    this.starts[this.count] = text.length
    this.#fill()
  }

  #fill(): void {
    const { text, starts, ends, first } = this
    let start = 0
    for (let line = 0; line < this.count; line++) {
      const newline = text.indexOf('\n', start)
      const next = newline === -1 ? text.length : newline + 1
      let end = newline === -1 ? text.length : newline
      if (newline > start && text.charCodeAt(newline - 1) === 13) end--
      let at = start
      while (at < end && isBlankCode(text.charCodeAt(at))) at++
      starts[line] = start
      ends[line] = end
      first[line] = at
      start = next
    }
  }

  /** True when the line holds nothing but white space. */
  isBlank(line: number): boolean {
    return this.first[line] === this.ends[line]
  }

  /** The zero-based line that holds an offset; the last line for the end of the text. */
  lineAt(offset: number): number {
    const { starts, count } = this
    let line = this.#last
    if (starts[line]! <= offset) {
      for (let step = 0; step < 8; step++) {
        if (line + 1 >= count || starts[line + 1]! > offset) return this.#remember(line)
        line++
      }
    }
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return this.#remember(Math.max(low, 0))
  }

  #remember(line: number): number {
    this.#last = line
    return line
  }

  /** The 1-based line and column of an offset. */
  point(offset: number): Point {
    if (this.count === 0) return { line: 1, column: 1, offset }
    const line = this.lineAt(offset)
    const next = this.starts[line + 1]!
    // A text that ends in a newline ends on the line after it.
    if (offset === next && offset > this.ends[line]!) {
      return { line: line + 2, column: 1, offset }
    }
    return { line: line + 1, column: offset - this.starts[line]! + 1, offset }
  }

  /** The span between two offsets. */
  position(begin: number, end: number): Position {
    return { start: this.point(begin), end: this.point(end) }
  }
}

/** True for a space, a tab, or a form feed. */
export function isBlankCode(code: number): boolean {
  return code === 32 || code === 9 || code === 12
}

function countLines(text: string): number {
  let count = 0
  let at = 0
  while (at < text.length) {
    count++
    const newline = text.indexOf('\n', at)
    if (newline === -1) break
    at = newline + 1
  }
  return count
}
