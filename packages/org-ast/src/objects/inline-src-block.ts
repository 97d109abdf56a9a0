import { beginsWord, trim } from '../text/characters.ts'
import type { InlineSrcBlock } from '../tree/object-nodes.ts'
import { leaf, type Scan } from './scan.ts'

const languageEnd = /[ \t\n[{]/g

/** Parses `src_language[header]{body}` around the underscore at `at`. */
export function parseInlineSrcBlock(scan: Scan, at: number, plain: number): InlineSrcBlock | null {
  const { text } = scan
  const begin = at - 'src'.length
  if (text[at - 1] !== 'c' || !startsWord(scan, 'src', begin, plain)) return null
  const after = nameEnd(text, scan.env.names.src, at + 1, languageEnd)
  if (after === at + 1) return null
  const header = bracketed(scan, after, '[', ']')
  const body = bracketed(scan, header?.end ?? after, '{', '}')
  if (body === null) return null
  const block = leaf(scan, 'inline-src-block', begin, body.end)
  block.language = text.slice(at + 1, after)
  block.parameters = header === null ? null : oneLine(header.text)
  block.value = body.text
  return block
}

/** Where a name ends; `last` remembers the one that was read before, so that none is read twice. */
export function nameEnd(
  text: string,
  last: { begin: number; end: number },
  at: number,
  stop: RegExp,
): number {
  if (at < last.begin || at >= last.end) {
    stop.lastIndex = at
    last.begin = at
    last.end = stop.exec(text)?.index ?? text.length
  }
  return last.end
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
