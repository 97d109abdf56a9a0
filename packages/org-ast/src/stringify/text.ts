import { blanksTo, charWidth, indentTo } from '../text/columns.ts'
import { isBlankCode } from '../text/lines.ts'

const white = /[\t\n\f\r \u00a0\u2000-\u200b\u202f\u205f\u3000]/

/** True when a line holds something that Emacs does not take for white space. */
export function isVisible(line: string): boolean {
  return isVisibleAt(line, 0, line.length)
}

/** The same for the line between two offsets of a text. */
function isVisibleAt(text: string, begin: number, end: number): boolean {
  let at = begin
  while (at < end && isBlankCode(text.charCodeAt(at))) at++
  return at < end && !white.test(text[at]!)
}

/** The text with a single newline in place of the empty lines at its end; nothing stays nothing. */
export function normalizeEnd(text: string): string {
  if (text === '') return ''
  let end = text.length
  let at = end
  while (at > 0) {
    const code = text.charCodeAt(at - 1)
    if (code === 10) end = at - 1
    else if (!isBlankCode(code)) break
    at--
  }
  return `${text.slice(0, end)}\n`
}

/** The column at which a line's text begins: blanks count one, tabs reach to the next eighth. */
export function indentationOf(line: string): number {
  let column = 0
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code === 9) column = (column | 7) + 1
    else if (code === 32) column++
    else break
  }
  return column
}

/** How many UTF-16 units of a line are blanks and tabs at its beginning. */
export function indentLength(line: string): number {
  let at = 0
  while (isBlankCode(line.charCodeAt(at))) at++
  return at
}

/** The line with its text moved to a column, in the way of `indent-line-to`. */
export function indentLine(line: string, column: number, tabs: boolean): string {
  const length = indentLength(line)
  return indentTo(line.slice(0, length), column, tabs) + line.slice(length)
}

/** A line cut at a column within its indentation; a tab across the cut is taken apart. */
function splitAt(line: string, column: number, tabs: boolean): [string, string] {
  let at = 0
  let reached = 0
  while (reached < column) {
    const next = line.charCodeAt(at) === 9 ? (reached | 7) + 1 : reached + 1
    if (next > column) {
      const before = line.slice(0, at) + ' '.repeat(column - reached)
      return [before, blanksTo(column, next, tabs) + line.slice(at + 1)]
    }
    reached = next
    at++
  }
  return [line.slice(0, at), line.slice(at)]
}

/** The text without the columns that all its lines have in common, as `org-remove-indentation`. */
export function dedent(text: string, tabs: boolean): string {
  const lines = text.split('\n')
  let least = text.length + 1
  for (const line of lines) {
    if (!isVisible(line)) continue
    least = Math.min(least, indentationOf(line))
    if (least === 0) return text
  }
  const cut: string[] = []
  for (const line of lines) {
    if (indentationOf(line) >= least) cut.push(splitAt(line, least, tabs)[1])
    else if (indentLength(line) === line.length) cut.push('')
    else return text
  }
  return cut.join('\n')
}

/** The text with a prefix before each line that has something visible. */
export function prefixLines(text: string, prefix: string): string {
  let prefixed = ''
  let begin = 0
  while (begin < text.length) {
    const newline = text.indexOf('\n', begin)
    const end = newline === -1 ? text.length : newline
    if (isVisibleAt(text, begin, end)) prefixed += prefix
    prefixed += text.slice(begin, end + 1)
    begin = end + 1
  }
  return prefixed
}

/** How many columns a line of text takes in Emacs. */
export function stringWidth(text: string): number {
  if (plain.test(text)) return text.length
  let column = 0
  let last = 1
  for (const character of text) {
    const code = character.codePointAt(0)!
    const joins = code === 0x200d && last === 2
    if (code === 9) last = 8 - (column & 7)
    else if (joins) last = 0
    else last = steers.test(character) ? 1 : charWidth(character, code)
    column += last
  }
  return column
}

const steers = /\p{Cf}/u
const plain = /^[ -~]*$/
