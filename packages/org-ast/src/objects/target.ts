import type { Target } from '../tree/object-nodes.ts'
import { leaf, type Scan } from './scan.ts'

const pattern = /<<([^<>\n \t]|[^<>\n \t][^<>\n]*[^<>\n \t])>>/y

/** Parses `<<target>>`. */
export function parseTarget(scan: Scan, at: number): Target | null {
  if (scan.find('>>', at + 3) === -1) return null
  const match = scan.match(pattern, at)
  if (match === null) return null
  const target = leaf(scan, 'target', at, at + match[0].length)
  target.value = match[1]!
  return target
}
