const white = /[\t\n\f\r \u00a0\u2000-\u200b\u202f\u205f\u3000]/

/** True when a line holds something that Emacs does not take for white space. */
export function isVisible(line: string): boolean {
  return isVisibleAt(line, 0, line.length)
}

/** The same for the line between two offsets of a text. */
function isVisibleAt(text: string, begin: number, end: number): boolean {
  let at = begin
  while (at < end && isBlank(text.charCodeAt(at))) at++
  return at < end && !white.test(text[at]!)
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9
}

/** The text with a single newline in place of the empty lines at its end; nothing stays nothing. */
export function normalizeEnd(text: string): string {
  if (text === '') return ''
  let end = text.length
  let at = end
  while (at > 0) {
    const code = text.charCodeAt(at - 1)
    if (code === 10) end = at - 1
    else if (!isBlank(code)) break
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
  while (isBlank(line.charCodeAt(at))) at++
  return at
}

/** White space from column `from` to column `to`; with tabs when `tabs` is set. */
export function indentTo(to: number, tabs: boolean, from = 0): string {
  const count = tabs ? Math.floor(to / 8) - Math.floor(from / 8) : 0
  if (count > 0) return '\t'.repeat(count) + ' '.repeat(to % 8)
  return ' '.repeat(Math.max(to - from, 0))
}

/** The line with its text moved to a column, in the way of `indent-line-to`. */
export function indentLine(line: string, column: number, tabs: boolean): string {
  const length = indentLength(line)
  const old = indentationOf(line)
  let kept = line.slice(0, length)
  const text = line.slice(length)
  if (column < old) return splitAt(line, column, tabs)[0] + text
  if (column === old) return line
  if (column - (old - (old % 8)) >= 8) kept = kept.replace(/ +$/, '')
  return kept + indentTo(column, tabs, indentationOf(kept)) + text
}

/** A line cut at a column within its indentation; a tab across the cut is taken apart. */
function splitAt(line: string, column: number, tabs: boolean): [string, string] {
  let at = 0
  let reached = 0
  while (reached < column) {
    const next = line.charCodeAt(at) === 9 ? (reached | 7) + 1 : reached + 1
    if (next > column) {
      const before = line.slice(0, at) + ' '.repeat(column - reached)
      return [before, indentTo(next, tabs, column) + line.slice(at + 1)]
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

const wide = new RegExp(`[${ranges(wideRanges)}]`, 'u')
const narrowest = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7fb]/u

function ranges(text: string): string {
  return text.replace(/[0-9a-f]+/g, (hex) => `\\u{${hex}}`).replace(/\s+/g, '')
}

/** How many columns a line of text takes in Emacs. */
export function stringWidth(text: string): number {
  if (plain.test(text)) return text.length
  let column = 0
  let last = 1
  for (const character of text) {
    const code = character.codePointAt(0)!
    const joins = code === 0x200d && last === 2
    last = code === 9 ? 8 - (column & 7) : joins ? 0 : characterWidth(character, code)
    column += last
  }
  return column
}

function characterWidth(character: string, code: number): number {
  if (code < 32 || code === 127) return 2
  if (code < 768) return code > 127 && code < 160 ? 4 : 1
  if (wide.test(character)) return 2
  return narrowest.test(character) ? 0 : 1
}

const plain = /^[ -~]*$/
