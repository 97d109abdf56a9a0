import { isSpaceCode } from './characters.ts'
import { type LineIndex, skipBlanks } from './lines.ts'

/** A stretch of a mapped text, up to the next run. */
export interface Run {
  /** Offset in the mapped text. */
  readonly at: number
  /** Offset in the document: of its first character, or of what caused it to be made. */
  readonly source: number
  /** True when its characters are the document's, one for one. */
  readonly copied: boolean
}

/** A text with the origin of each of its characters. Immutable. */
export class Mapped {
  readonly text: string
  /** In order, without gaps; empty for an empty text. */
  readonly runs: readonly Run[]

  constructor(text: string, runs: readonly Run[]) {
    this.text = text
    this.runs = runs
  }
}

/** Where the character at an offset came from. */
export interface TextOrigin {
  /** Offset in the document. */
  source: number
  copied: boolean
}

/** The origin of the character at an offset; of the end of the text, just behind its last one. */
export function originAt(mapped: Mapped, offset: number): TextOrigin {
  const run = mapped.runs[runAt(mapped, offset)]
  if (run === undefined) return { source: 0, copied: false }
  return { source: run.copied ? run.source + offset - run.at : run.source, copied: run.copied }
}

function runAt({ runs }: Mapped, offset: number): number {
  let low = 0
  let high = runs.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (runs[middle]!.at <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** Puts a mapped text together from copies, from things made, and from parts of others. */
export class MapBuilder {
  readonly #parts: string[] = []
  readonly #runs: Run[] = []
  #length = 0

  /** The length of what was added so far. */
  get length(): number {
    return this.#length
  }

  /** Adds a stretch of the document; with `windows`, its line ends become those of Unix. */
  copy(document: string, begin: number, end: number, windows = false): void {
    let from = begin
    while (windows) {
      const at = document.indexOf('\r\n', from)
      if (at === -1 || at >= end) break
      this.#add(document.slice(from, at), from, true)
      from = at + 1
    }
    this.#add(document.slice(from, end), from, true)
  }

  /** Adds text that the document does not hold, for which the place `source` is the reason. */
  make(text: string, source: number): void {
    this.#add(text, source, false)
  }

  /** Adds a part of another mapped text, or all of it. */
  add(mapped: Mapped, begin = 0, end: number = mapped.text.length): void {
    for (let index = runAt(mapped, begin); begin < end; index++) {
      const run = mapped.runs[index]!
      const next = Math.min(mapped.runs[index + 1]?.at ?? end, end)
      const source = run.copied ? run.source + begin - run.at : run.source
      this.#add(mapped.text.slice(begin, next), source, run.copied)
      begin = next
    }
  }

  /** What was added, as one text. */
  finish(): Mapped {
    return new Mapped(this.#parts.join(''), this.#runs)
  }

  #add(text: string, source: number, copied: boolean): void {
    if (text === '') return
    const last = this.#runs.at(-1)
    const expected = last === undefined ? -1 : last.source + (copied ? this.#length - last.at : 0)
    const joined = last !== undefined && last.copied === copied && expected === source
    if (!joined) this.#runs.push({ at: this.#length, source, copied })
    this.#parts.push(text)
    this.#length += text.length
  }
}

/** A stretch of text, such as the match of a pattern. */
export interface Stretch {
  index: number
  0: string
}

/** Leaves out each stretch, in their order, after `insert` has added what stands for it. */
export function replaceIn<S extends Stretch>(
  mapped: Mapped,
  stretches: Iterable<S>,
  insert: (stretch: S, into: MapBuilder) => void = () => {},
): Mapped {
  const builder = new MapBuilder()
  let from = 0
  for (const stretch of stretches) {
    builder.add(mapped, from, stretch.index)
    insert(stretch, builder)
    from = stretch.index + stretch[0].length
  }
  if (from === 0 && builder.length === 0) return mapped
  builder.add(mapped, from)
  return builder.finish()
}

/** A part of a text. */
export function sliceMapped(mapped: Mapped, begin: number, end?: number): Mapped {
  const builder = new MapBuilder()
  builder.add(mapped, begin, end)
  return builder.finish()
}

/** Without white space at its ends, or with its first line's indentation; `org-trim`. */
export function trimMapped(mapped: Mapped, keepIndentation = false): Mapped {
  const { text } = mapped
  let end = text.length
  while (end > 0 && ' \t\n\r'.includes(text[end - 1]!)) end--
  const front = keepIndentation ? /^(?:[ \t]*\n)*/ : /^[ \t\n\r]*/
  const begin = Math.min(front.exec(text)![0].length, end)
  return begin === 0 && end === text.length ? mapped : sliceMapped(mapped, begin, end)
}

const guardingComma = /(?<=(?<![^\n])[ \t]*,*),(?=\*|#\+)/g

/** Without one guarding comma on each line that has any. */
export function unescapeMapped(mapped: Mapped): Mapped {
  return /,(?:\*|#\+)/.test(mapped.text)
    ? replaceIn(mapped, mapped.text.matchAll(guardingComma))
    : mapped
}

/** Removes the indentation that all lines with visible text share; `org-remove-indentation`. */
export function dedent(mapped: Mapped): Mapped {
  const { text } = mapped
  let cut = text.length + 1
  for (let start = 0; start < text.length; start = lineEnd(text, start) + 1) {
    const at = skipBlanks(text, start)
    if (at === text.length || isSpaceCode(text.charCodeAt(at))) continue
    cut = Math.min(cut, columns(text, start, at))
    if (cut === 0) return mapped
  }
  const builder = new MapBuilder()
  for (let start = 0; start < text.length; start = lineEnd(text, start) + 1) {
    const from = cutColumns(text, start, cut)
    if (from === -1) return mapped
    builder.add(mapped, from, Math.min(lineEnd(text, start) + 1, text.length))
  }
  return builder.finish()
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

function columns(text: string, begin: number, end: number): number {
  let column = 0
  for (let at = begin; at < end; at++) column += text[at] === '\t' ? 8 - (column % 8) : 1
  return column
}

function cutColumns(text: string, start: number, cut: number): number {
  let column = 0
  let at = start
  for (; text[at] === ' ' || text[at] === '\t'; at++) {
    const next = column + (text[at] === '\t' ? 8 - (column % 8) : 1)
    if (next > cut) return at
    column = next
    if (column === cut) return at + 1
  }
  return at === lineEnd(text, start) ? at : -1
}

/** For each line of the text the 1-based line of the document that it stands on. */
export function lineNumbers(mapped: Mapped, lines: LineIndex): number[] {
  const { text } = mapped
  const numbers: number[] = []
  for (let start = 0; start < text.length; start = lineEnd(text, start) + 1) {
    const visible = skipBlanks(text, start)
    const at = visible < lineEnd(text, start) ? visible : start
    numbers.push(lines.point(originAt(mapped, at).source).line)
  }
  return numbers
}
