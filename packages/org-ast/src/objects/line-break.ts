import type { LineBreak } from '../tree/object-nodes.ts'
import { leaf, type Scan } from './scan.ts'

const pattern = /\\\\[ \t]*(?:\r?\n|$)/y

/** Parses a forced line break. */
export function parseLineBreak(scan: Scan, at: number): LineBreak | null {
  if (at > scan.begin && scan.text[at - 1] === '\\') return null
  const match = scan.match(pattern, at)
  return match === null ? null : leaf(scan, 'line-break', at, at + match[0].length)
}
