import { type LineIndex, originAt } from 'org-ast'
import type { Target } from './targets.ts'

/** A place in a document: 1-based line, 1-based column or null where the line is known alone. */
export interface OrgPlace {
  line: number
  column: number | null
}

/**
 * The place in the document that an offset of a target came from. Null for the empty lines between
 * blocks. `document` are the lines of the document that the target was tangled from.
 */
export function orgPlace(
  target: Pick<Target, 'text' | 'lines' | 'code'>,
  document: LineIndex,
  offset: number,
): OrgPlace | null {
  const { source, copied } = originAt(target.code, offset)
  const { line, column } = document.point(source)
  if (copied) return { line, column }
  return isGap(target, offset) ? null : { line, column: null }
}

function isGap({ text, lines }: Pick<Target, 'text' | 'lines'>, offset: number): boolean {
  if (text[offset] !== '\n' || (offset > 0 && text[offset - 1] !== '\n')) return false
  return lines[text.slice(0, offset).split('\n').length - 1] === 0
}
