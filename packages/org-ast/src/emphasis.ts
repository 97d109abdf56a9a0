import type { Emphasis, Literal } from './nodes.ts'
import type { Found, Scan } from './objects.ts'

const before = new Set(' \t\n\r\f\v-–—({\'"')
const after = new Set(' \t\n\r\f\v-–—.,;:!?\'")}\\[')

function isSpace(slice: string, at: number): boolean {
  const code = slice.charCodeAt(at)
  return code === 32 || (code >= 9 && code <= 13)
}

/** The offset of the closing mark for the one at `at`, or -1. */
function closing(scan: Scan, at: number): number {
  const { slice } = scan
  const mark = slice[at]!
  if (at > 0 && !before.has(slice[at - 1]!)) return -1
  if (at + 2 >= slice.length || isSpace(slice, at + 1)) return -1
  const key = `emphasis ${mark}`
  if (scan.failed(key, at)) return -1
  for (let end = slice.indexOf(mark, at + 2); end !== -1; end = slice.indexOf(mark, end + 1)) {
    if (isSpace(slice, end - 1)) continue
    if (end + 1 === slice.length || after.has(slice[end + 1]!)) return end
  }
  scan.fail(key, at)
  return -1
}

/** Parses emphasis that contains objects. */
export function parseEmphasis(scan: Scan, at: number, type: Emphasis['type']): Found | null {
  if (!scan.allowed.has(type)) return null
  const end = closing(scan, at)
  if (end === -1) return null
  return {
    begin: at,
    end: end + 1,
    node: {
      type,
      contentsBegin: scan.base + at + 1,
      contentsEnd: scan.base + end,
      children: scan.inside(at + 1, end, 'emphasis'),
    },
  }
}

/** Parses `=verbatim=` and `~code~`. */
export function parseLiteral(scan: Scan, at: number, type: Literal['type']): Found | null {
  if (!scan.allowed.has(type)) return null
  const end = closing(scan, at)
  if (end === -1) return null
  return { begin: at, end: end + 1, node: { type, value: scan.slice.slice(at + 1, end) } }
}
