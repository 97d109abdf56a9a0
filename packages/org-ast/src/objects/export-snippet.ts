import type { ExportSnippet } from '../tree/object-nodes.ts'
import { leaf, type Scan } from './scan.ts'

const headPattern = /@@([-A-Za-z0-9]+):/y

/** Parses `@@backend:text@@`. */
export function parseExportSnippet(scan: Scan, at: number): ExportSnippet | null {
  if (scan.text[at + 1] !== '@') return null
  const head = scan.match(headPattern, at)
  if (head === null) return null
  const begin = at + head[0].length
  const close = scan.find('@@', begin)
  if (close === -1) return null
  const snippet = leaf(scan, 'export-snippet', at, close + 2)
  snippet.backEnd = head[1]!
  snippet.value = scan.text.slice(begin, close)
  return snippet
}
