import { notWordClass } from '../text/characters.ts'
import type { FootnoteReference } from '../tree/object-nodes.ts'
import { container, type Scan } from './scan.ts'

const word = `(?:[-_]|[^${notWordClass}])`
const pattern = new RegExp(`\\[fn:(?:(${word}+)?(:)|(${word}+)\\])`, 'iuy')

/** Parses `[fn:label]`, `[fn:label:text]` and `[fn::text]`. */
export function parseFootnoteReference(scan: Scan, at: number): FootnoteReference | null {
  const match = scan.match(pattern, at)
  if (match === null) return null
  const close = scan.partner(at, '[', ']')
  if (close === -1) return null
  const inline = match[2] !== undefined
  const inside = at + match[0].length
  const reference = container(scan, 'footnote-reference', at, close + 1)
  if (inline) reference.contain(inside, close)
  reference.label = match[1] ?? match[3] ?? null
  reference.referenceType = inline ? 'inline' : 'standard'
  reference.children = inline ? scan.inside(inside, close, 'footnote-reference', '[') : []
  return reference
}
