import { trim } from '../text/characters.ts'
import { type LineIndex, skipBlanksBack } from '../text/lines.ts'

/** For each kind of closing line, where in the document it occurs. */
export class Closers {
  readonly #lines: LineIndex
  #found: Map<string, number[]> | null = null

  constructor(lines: LineIndex) {
    this.#lines = lines
  }

  /**
   * The first line in `[from, limit)` that closes `key`, or -1.
   * Keys: `#+end_name`, `#+end:`, `:end:`, `\\end{name}`, in lower case.
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
  const latex = /\\end\{/i.test(lines.text)
  const { marks, count } = lines
  for (let line = 0; line < count; line++) {
    const mark = marks[line]!
    const own = mark === 35 || mark === 58 ? closerKey(lines, line) : null
    const key = own ?? (latex ? latexKey(lines, line) : null)
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
  const colon = text[first] === ':'
  if ((text.charCodeAt(first + (colon ? 1 : 2)) | 32) !== 101) return null
  const key = trim(text.slice(first, end)).toLowerCase()
  if (colon) return key === ':end:' ? key : null
  if (key === '#+end') return '#+end:'
  return key.startsWith('#+end_') || key === '#+end:' ? key : null
}

function latexKey(lines: LineIndex, line: number): string | null {
  const { text } = lines
  const end = skipBlanksBack(text, lines.ends[line]!, lines.first[line]!)
  if (text[end - 1] !== '}') return null
  const content = text.slice(lines.first[line], end).toLowerCase()
  const open = content.lastIndexOf('\\end{')
  return open === -1 ? null : content.slice(open)
}
