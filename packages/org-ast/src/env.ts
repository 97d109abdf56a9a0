import { isBlankCode, LineIndex } from './lines.ts'
import type { Affiliated, AffiliatedKeyword, OrgContent, Position } from './nodes.ts'

/** Greater elements nested deeper than this are not opened any more. */
export const depthMax = 200

/** What a parser of one construct works with. One value serves one document. */
export interface ParseEnv {
  text: string
  lines: LineIndex
  closers: Closers
  /** Keywords that mean "not done", in the order of the file. */
  todoKeywords: readonly string[]
  /** Keywords that mean "done". */
  doneKeywords: readonly string[]
  /** Matches the text of any radio target, or null without targets. */
  radioPattern: RegExp | null
  /** `#+link:` abbreviations: name to replacement. */
  linkAbbreviations: ReadonlyMap<string, string>
  /** How many greater elements are open. */
  depth: number
  /** The lines before this one, back to a gap, are affiliated keywords of nothing; -1 for none. */
  orphansUntil: number
}

/** Makes an environment with nothing declared. */
export function createEnv(text: string): ParseEnv {
  const lines = new LineIndex(text)
  return {
    text,
    lines,
    closers: new Closers(lines),
    todoKeywords: ['TODO'],
    doneKeywords: ['DONE'],
    radioPattern: null,
    linkAbbreviations: new Map(),
    depth: 0,
    orphansUntil: -1,
  }
}

/** For each kind of closing line, where in the document it occurs. */
export class Closers {
  readonly #lines: LineIndex
  #found: Map<string, number[]> | null = null

  constructor(lines: LineIndex) {
    this.#lines = lines
  }

  /**
   * The first line in `[from, limit)` that closes `key`, or -1.
   * Keys: `#+end_name`, `#+end:`, `:end:` in lower case, `\end{name}` as it is.
   */
  next(key: string, from: number, limit: number): number {
    this.#found ??= collectClosers(this.#lines)
    const found = this.#found.get(key)
    if (found === undefined) return -1
    let low = 0
    let high = found.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (found[middle]! < from) low = middle + 1
      else high = middle
    }
    const line = found[low]
    return line !== undefined && line < limit ? line : -1
  }
}

function collectClosers(lines: LineIndex): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (let line = 0; line < lines.count; line++) {
    const key = closerKey(lines, line)
    if (key === null) continue
    const list = found.get(key)
    if (list === undefined) found.set(key, [line])
    else list.push(line)
  }
  return found
}

function closerKey(lines: LineIndex, line: number): string | null {
  const { text } = lines
  const first = lines.first[line]!
  const end = lines.ends[line]!
  const code = text.charCodeAt(first)
  if (code === 35 || code === 58) {
    const key = text
      .slice(first, Math.min(end, first + 200))
      .trimEnd()
      .toLowerCase()
    return key.startsWith('#+end') || key === ':end:' ? key : null
  }
  if (
    end - first < 7 ||
    (!text.startsWith('}', end - 1) && !isBlankCode(text.charCodeAt(end - 1)))
  ) {
    return null
  }
  const content = text.slice(first, end).trimEnd()
  const open = content.endsWith('}') ? content.lastIndexOf('\\end{') : -1
  return open === -1 ? null : content.slice(open)
}

/** The first line in `[line, limit)` that is not blank, or `limit`. */
export function skipBlankLines(env: ParseEnv, line: number, limit: number): number {
  let at = line
  while (at < limit && env.lines.isBlank(at)) at++
  return at
}

/** Where an element ends, given the line after its last own one. */
export interface Closing {
  position: Position
  postBlank: number
}

/** Span and trailing blank lines of an element that starts at an offset. */
export function closeElement(env: ParseEnv, begin: number, after: number, limit: number): Closing {
  const next = skipBlankLines(env, after, limit)
  return {
    position: env.lines.position(begin, env.lines.starts[next]!),
    postBlank: next - after,
  }
}

/** What stands above an element: where it all begins, and the keywords. */
export interface Above {
  begin: number
  affiliated: AffiliatedKeyword[]
}

/** The properties that an element gets from what stands above it. */
export function affiliatedProperties(above: Above, postAffiliated: number): Affiliated {
  let name: string | null = null
  for (const keyword of above.affiliated) if (keyword.key === 'NAME') name = keyword.value
  return { affiliated: above.affiliated, name, postAffiliated }
}

/** A parser of elements over lines, as greater elements need it for their contents. */
export type ParseLines = (
  env: ParseEnv,
  line: number,
  limit: number,
  begin?: number,
) => OrgContent[]
