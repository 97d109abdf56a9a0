import type { StatisticsCookie } from '../tree/object-nodes.ts'
import { leaf, type Scan } from './scan.ts'

const pattern = /\[\d*(?:%|\/\d*)\]/y

/** Parses `[2/3]` and `[50%]`. */
export function parseStatisticsCookie(scan: Scan, at: number): StatisticsCookie | null {
  const match = scan.match(pattern, at)
  if (match === null) return null
  const end = at + match[0].length
  const cookie = leaf(scan, 'statistics-cookie', at, end)
  cookie.value = match[0]
  return cookie
}
