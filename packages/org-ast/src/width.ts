const widePattern =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3040-\u3247\u3250-\u4dbf\u4e00-\u9fff\ua490-\ua4c6\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cd5}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f320}\u{20000}-\u{3ffff}]/u
const emptyPattern = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7fb]/u

function width(character: string, code: number): number {
  if (code < 32 || code === 127) return 2
  if (code < 127) return 1
  if (code < 160) return 4
  if (code === 0xad) return 1
  if (widePattern.test(character)) return 2
  return emptyPattern.test(character) ? 0 : 1
}

/** The column (from 0) after a text of one line that starts at `column`. */
export function columnAfter(text: string, column = 0): number {
  let at = column
  for (const character of text) {
    const code = character.codePointAt(0)!
    at = code === 9 ? at - (at % 8) + 8 : at + width(character, code)
  }
  return at
}

/** The white space Emacs puts in front of a line to indent it to a column. */
export function indentation(column: number): string {
  return '\t'.repeat(Math.floor(column / 8)) + ' '.repeat(column % 8)
}
