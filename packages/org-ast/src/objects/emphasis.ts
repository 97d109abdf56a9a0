import { flags, isSpaceCode } from '../text/characters.ts'
import type { Emphasis, Literal } from '../tree/object-nodes.ts'
import { container, leaf, type Scan } from './scan.ts'

const before = flags('-(\'"{', 128)
const after = flags('-.,;:!?\'")}\\[', 128)

function isBorder(code: number, set: Uint8Array): boolean {
  return code < 128 && set[code] === 1 ? true : isSpaceCode(code)
}

function opens(scan: Scan, at: number): boolean {
  const { text, begin, end } = scan
  if (at + 1 >= end || isSpaceCode(text.charCodeAt(at + 1))) return false
  if (at === begin) return true
  const previous = text.charCodeAt(at - 1)
  if (isBorder(previous, before)) return true
  if (previous !== text.charCodeAt(at)) return false
  return at - 1 === begin || text.charCodeAt(at - 2) === 10
}

/** The offset of the closing mark for the one at `at`, or -1. */
function closing(scan: Scan, at: number, mark: string): number {
  const { text, end } = scan
  if (!opens(scan, at) || scan.failed(mark, at)) return -1
  const code = text.charCodeAt(at)
  for (let close = at + 2; close < end; close++) {
    if (text.charCodeAt(close) !== code || isSpaceCode(text.charCodeAt(close - 1))) continue
    if (close + 1 === end || isBorder(text.charCodeAt(close + 1), after)) return close
  }
  scan.fail(mark, at)
  return -1
}

/** Parses emphasis that contains objects. */
export function parseEmphasis(scan: Scan, at: number, type: Emphasis['type']): Emphasis | null {
  const close = closing(scan, at, type)
  if (close === -1) return null
  const emphasis = container(scan, type, at, close + 1)
  emphasis.contain(at + 1, close)
  emphasis.children = scan.inside(at + 1, close, 'emphasis')
  return emphasis
}

/** Parses `=verbatim=` and `~code~`. */
export function parseLiteral(scan: Scan, at: number, type: Literal['type']): Literal | null {
  const close = closing(scan, at, type)
  if (close === -1) return null
  const literal = leaf(scan, type, at, close + 1)
  literal.value = scan.text.slice(at + 1, close)
  return literal
}
