import { isBlankCode } from './lines.ts'

const wideRanges = `
1100-115f 231a-231b 2329-232a 23e9-23ec 23f0 23f3 25fd-25fe 2614-2615 2648-2653 267f 2693
26a1 26aa-26ab 26bd-26be 26c4-26c5 26ce 26d4 26ea 26f2-26f3 26f5 26fa 26fd 2705 270a-270b
2728 274c 274e 2753-2755 2757 2795-2797 27b0 27bf 2b1b-2b1c 2b50 2b55 2e80-303e 3040-3247
3250-4dbf 4e00-9fff a490-a4c6 a960-a97f ac00-d7a3 f900-faff fe10-fe19 fe30-fe6f ff01-ff60
ffe0-ffe6 16fe0-16fe4 16ff0-16ff1 17000-187f7 18800-18cd5 1aff0-1b152 1b164-1b167
1b170-1b2fb 1f004 1f0cf 1f18e 1f191-1f19a 1f1ad 1f200-1f320 1f32d-1f335 1f337-1f37c
1f37e-1f393 1f3a0-1f3ca 1f3cf-1f3d3 1f3e0-1f3f0 1f3f4 1f3f8-1f43e 1f440 1f442-1f4fc
1f4ff-1f53d 1f54b-1f54e 1f550-1f567 1f57a 1f595-1f596 1f5a4 1f5fb-1f64f 1f680-1f6c5 1f6cc
1f6d0-1f6d2 1f6d5-1f6d7 1f6dd-1f6df 1f6eb-1f6ec 1f6f4-1f6fc 1f7e0-1f7f0 1f90c-1f93a
1f93c-1f945 1f947-1fa53 1fa60-1fa6d 1fa70-1faff 20000-3fffd
`

const wide = new RegExp(`[${wideRanges.replace(/[0-9a-f]+/g, '\\u{$&}').replace(/\s+/g, '')}]`, 'u')

const zero = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7fb]/u

/** How many columns a character takes in Emacs, by its table. */
export function charWidth(char: string, code: number): number {
  if (code < 0x20 || code === 0x7f) return 2 // shown as ^A
  if (code < 0x7f) return 1
  if (code < 0xa0) return 4 // shown as \200
  if (code < 0x300) return 1
  if (wide.test(char)) return 2
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
    return keep + blanksTo(stringWidth(keep), column, tabs)
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

/** White space from column `from` to column `to`; nothing when `to` is not behind `from`. */
export function blanksTo(from: number, to: number, tabs: boolean): string {
  if (to <= from) return ''
  const count = tabs ? (to >> 3) - (from >> 3) : 0
  const reached = count > 0 ? (to >> 3) << 3 : from
  return '\t'.repeat(count) + ' '.repeat(to - reached)
}

/** Blanks of a line to be replaced; offsets count from the start of the line. */
interface TagGap {
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
