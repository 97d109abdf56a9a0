import { isDeepStrictEqual } from 'node:util'
import type { Action } from './signal.ts'

const marks = /[█…]+/

/** Whether a text is another one with pieces of it replaced by bars or ellipses. */
export function isMasked(before: string, after: string): boolean {
  const pieces = after.split(marks)
  const last = pieces.pop() ?? ''
  if (pieces.length === 0) return before === after
  let at = 0
  for (const [number, piece] of pieces.entries()) {
    const found = before.indexOf(piece, at)
    if (found < 0 || (number === 0 && found > 0)) return false
    at = found + piece.length
  }
  return before.slice(at).endsWith(last)
}

/** The field that makes `after` more or other than `before`; null when it is the same or less. */
export function wideningOf(before: Action, after: Action): string | null {
  if (before.type !== after.type) return 'type'
  if (before.target !== after.target) return 'target'
  const fields = new Set([...Object.keys(before.payload), ...Object.keys(after.payload)])
  for (const field of fields) {
    const [was, is] = [before, after].map(({ payload }) => payload[field as 'args'] as unknown)
    if (isDeepStrictEqual(was, is)) continue
    const isText = field === 'text' && before.payload.action === 'message'
    if (!isText || typeof was !== 'string' || typeof is !== 'string') return field
    if (!isMasked(was, is)) return field
  }
  return null
}
