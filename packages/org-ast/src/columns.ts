import { isBlankCode } from './lines.ts'

const plain = /^[ -~]*$/
const blocks = [
  '\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3040-\\u3247\\u3250-\\u4dbf\\u4e00-\\u9fff\\ua490-\\ua4c6',
  '\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60',
  '\\uffe0-\\uffe6\\u{16fe0}-\\u{18cd5}\\u{1aff0}-\\u{1b2fb}\\u{1f200}-\\u{1f2ff}\\u{20000}-\\u{3fffd}',
]
const pictures = '(?![\\u{1f1e6}-\\u{1f1ff}])\\p{Emoji_Presentation}'
const wide = new RegExp(`[${blocks.join('')}]|${pictures}`, 'u')
const none = /(?!\u00ad)[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u
const control = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** The column behind `text` when it starts at column `from`; both count from 0. */
export function columns(text: string, from = 0): number {
  if (plain.test(text)) return from + text.length
  let column = from
  for (const character of text) {
    if (character === '\t') column += 8 - (column % 8)
    else if (wide.test(character) || control.test(character)) column += 2
    else if (!none.test(character)) column++
  }
  return column
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
  const before = columns(line.slice(0, begin))
  const wanted = Math.max(tagsColumn - columns(line.slice(end, tags.end)), before + 1)
  if (columns(line.slice(begin, end), before) === wanted) return null
  return { begin, end, text: ' '.repeat(wanted - before) }
}
