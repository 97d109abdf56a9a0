import { isBlankCode } from './lines.ts'

const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3040-\u3247\u3250-\u4dbf\u4e00-\u9fff\ua490-\ua4c6\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{16fe4}\u{17000}-\u{187f7}\u{18800}-\u{18cd5}\u{1aff0}-\u{1b152}\u{1b164}-\u{1b167}\u{1b170}-\u{1b2fb}\u{1f200}-\u{1f320}\u{20000}-\u{3ffff}]|\p{Emoji_Presentation}/u
const narrow = /[\u{1f1e6}-\u{1f1ff}]/u

const zero = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7fb]/u

function charWidth(char: string, code: number): number {
  if (code < 0x20 || code === 0x7f) return 2 // shown as ^A
  if (code < 0x7f) return 1
  if (code < 0xa0) return 4 // shown as \200
  if (code < 0x300) return 1
  if (wide.test(char)) return narrow.test(char) ? 1 : 2
  return zero.test(char) ? 0 : 1
}

/** The column behind a text that begins at column `from`, in Emacs; tabs reach multiples of 8. */
export function stringWidth(text: string, from = 0): number {
  if (/^[\x20-\x7e]*$/.test(text)) return from + text.length
  let column = from
  for (const char of text) {
    column = char === '\t' ? (column | 7) + 1 : column + charWidth(char, char.codePointAt(0)!)
  }
  return column
}

/** The blanks of a line, changed to reach the column as Emacs's `indent-line-to` does it. */
export function indentTo(blanks: string, column: number, tabs: boolean): string {
  const now = stringWidth(blanks)
  if (now < column) {
    const keep = column - (now & ~7) >= 8 ? blanks.replace(/ +$/, '') : blanks
    return keep + gap(stringWidth(keep), column, tabs)
  }
  let reached = 0
  let end = 0
  for (; end < blanks.length; end++) {
    const next = blanks[end] === '\t' ? (reached | 7) + 1 : reached + 1
    if (next > column) break
    reached = next
  }
  return blanks.slice(0, end) + ' '.repeat(column - reached)
}

function gap(from: number, to: number, tabs: boolean): string {
  const count = tabs ? (to >> 3) - (from >> 3) : 0
  const reached = count > 0 ? (to >> 3) << 3 : from
  return '\t'.repeat(count) + ' '.repeat(to - reached)
}

/** Blanks of a line to be replaced; offsets count from the start of the line. */
export interface TagGap {
  begin: number
  end: number
  text: string
}

const tagsColumn = 77
const stars = /^\*+ /
const tagsWord = /^:[\p{L}\p{M}\p{Nl}\p{Nd}_@#%:]+:$/u

/** Where the tags of a headline's line begin and end, colons included; null without tags. */
export function tagsIn(line: string): { begin: number; end: number } | null {
  if (!stars.test(line)) return null
  let end = line.length
  while (end > 0 && isBlankCode(line.charCodeAt(end - 1))) end--
  if (line.charCodeAt(end - 1) !== 58) return null
  let begin = end
  while (!isBlankCode(line.charCodeAt(begin - 1))) begin--
  return tagsWord.test(line.slice(begin, end)) ? { begin, end } : null
}

/** The gap in front of a headline's tags when it has another width than Emacs would give it. */
export function tagGap(line: string): TagGap | null {
  const tags = tagsIn(line)
  if (tags === null) return null
  const end = tags.begin
  let begin = end
  while (isBlankCode(line.charCodeAt(begin - 1))) begin--
  const before = stringWidth(line.slice(0, begin))
  const wanted = Math.max(tagsColumn - stringWidth(line.slice(end, tags.end)), before + 1)
  if (stringWidth(line.slice(begin, end), before) === wanted) return null
  return { begin, end, text: ' '.repeat(wanted - before) }
}
