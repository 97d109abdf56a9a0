import { beginsWord, trim } from './characters.ts'
import { InlineSrcBlock } from './nodes.ts'
import type { Scan } from './objects.ts'

const languagePattern = /_([^ \t\n[{]+)(?=[{[])/y

/** Parses `src_language[header]{body}` around the underscore at `at`. */
export function parseInlineSrcBlock(scan: Scan, at: number, plain: number): InlineSrcBlock | null {
  const { text } = scan
  const begin = at - 'src'.length
  if (text.charCodeAt(at - 1) !== 99 || !startsWord(scan, 'src', begin, plain)) return null
  const match = scan.match(languagePattern, at)
  if (match === null) return null
  const header = bracketed(scan, at + match[0].length, '[', ']')
  const body = bracketed(scan, header?.end ?? at + match[0].length, '{', '}')
  if (body === null) return null
  const block = new InlineSrcBlock('inline-src-block', scan.env.origin, begin, body.end)
  block.language = match[1]!
  block.parameters = header === null ? null : oneLine(header.text)
  block.value = body.text
  return block
}

/** True when a word stands at an offset, within what is still plain text, and begins there. */
export function startsWord(scan: Scan, word: string, begin: number, plain: number): boolean {
  if (begin < plain || !scan.text.startsWith(word, begin)) return false
  return beginsWord(scan.text, begin, scan.begin)
}

/** What brackets at an offset hold, and the offset past them; null without brackets. */
export function bracketed(
  scan: Scan,
  at: number,
  open: string,
  close: string,
): { text: string; end: number } | null {
  if (at >= scan.end || scan.text[at] !== open) return null
  const end = scan.partner(at, open, close)
  return end === -1 ? null : { text: scan.text.slice(at + 1, end), end: end + 1 }
}

/** Header arguments on one line; null when there are none. */
export function oneLine(header: string): string | null {
  return trim(header).replace(/\n[ \t]*/g, ' ') || null
}
