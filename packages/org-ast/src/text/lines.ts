/** A place in the text. `line` and `column` are 1-based, `offset` is a 0-based UTF-16 index. */
export interface Point {
  line: number
  column: number
  offset: number
}

/** A half-open span of text: `start` is its first character, `end` is past its last. */
export interface Position {
  start: Point
  end: Point
}

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
  /** Code of each line's first visible character; 0 for a blank line, 128 for any beyond ASCII. */
  readonly marks: Uint8Array
  #last = 0

  constructor(text: string) {
    this.text = text
    ;[this.count, this.starts, this.ends, this.first, this.marks] = findLines(text)
  }

  /** True when the line holds nothing but white space. */
  isBlank(line: number): boolean {
    return this.marks[line] === 0
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
    return { line: line + 1, column: Math.max(offset - this.starts[line]!, 0) + 1, offset }
  }

  /** The span between two offsets. */
  position(begin: number, end: number): Position {
    return { start: this.point(begin), end: this.point(end) }
  }
}

/** The last of `count` things in order that does not start behind an offset; else the first. */
export function lastAtMost(count: number, offset: number, start: (at: number) => number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (start(middle) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** True for a space or a tab, the white space of Org's grammar. */
export function isBlankCode(code: number): boolean {
  return code === 32 || code === 9
}

/** The first offset from `from` on, up to `end`, at which there is no white space. */
export function skipBlanks(text: string, from: number, end: number = text.length): number {
  let at = from
  while (at < end && isBlankCode(text.charCodeAt(at))) at++
  return at
}

/** The first offset from `from` back, down to `begin`, before which there is no white space. */
export function skipBlanksBack(text: string, from: number, begin: number = 0): number {
  let at = from
  while (at > begin && isBlankCode(text.charCodeAt(at - 1))) at--
  return at
}

/** The text of a line from its first visible character on, or from `skip` characters behind it. */
export function lineText(lines: LineIndex, line: number, skip: number = 0): string {
  return lines.text.slice(lines.first[line]! + skip, lines.ends[line])
}

/** The text of the lines in `[from, to)`, with their line ends. */
export function textBetween(lines: LineIndex, from: number, to: number): string {
  return lines.text.slice(lines.starts[from], lines.starts[to])
}

type Found = [
  count: number,
  starts: Int32Array,
  ends: Int32Array,
  first: Int32Array,
  marks: Uint8Array,
]

function findLines(text: string): Found {
  let room = (text.length >> 5) + 16
  let starts = new Int32Array(room + 1)
  let ends = new Int32Array(room)
  let first = new Int32Array(room)
  let marks = new Uint8Array(room)
  let count = 0
  const begin = text.charCodeAt(0) === 0xfeff ? 1 : 0
  for (let start = begin; start < text.length; count++) {
    if (count === room) {
      room *= 2
      starts = grown(starts, new Int32Array(room + 1))
      ends = grown(ends, new Int32Array(room))
      first = grown(first, new Int32Array(room))
      marks = grown(marks, new Uint8Array(room))
    }
    const newline = text.indexOf('\n', start)
    let end = newline === -1 ? text.length : newline
    const next = newline === -1 ? end : newline + 1
    if (newline > start && text.charCodeAt(newline - 1) === 13) end--
    let at = start
    while (at < end && isBlankCode(text.charCodeAt(at))) at++
    starts[count] = start
    ends[count] = end
    first[count] = at
    if (at < end) marks[count] = Math.min(text.charCodeAt(at), 128) || 1
    start = next
  }
  starts[count] = text.length
  return [
    count,
    starts.subarray(0, count + 1),
    ends.subarray(0, count),
    first.subarray(0, count),
    marks.subarray(0, count),
  ]
}

function grown<T extends Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from)
  return to
}
