import type { Target } from './targets.ts'

/** A place in a document: 1-based line, 1-based column or null where the line is known alone. */
export interface OrgPlace {
  line: number
  column: number | null
}

/**
 * The place in the document that a place in a target came from; both count from 1. Null for what
 * the tool has put there itself. `documentLines` are the lines of the document.
 */
export function orgPlace(
  target: Pick<Target, 'text' | 'lines'>,
  documentLines: readonly string[],
  line: number,
  column: number,
): OrgPlace | null {
  const orgLine = target.lines[line - 1]
  if (orgLine === undefined || orgLine === 0) return null
  const code = lineOf(target.text, line)
  const visible = code.trimStart()
  const at = (documentLines[orgLine - 1] ?? '').indexOf(visible)
  if (at < 0) return { line: orgLine, column: null }
  return { line: orgLine, column: Math.max(1, column - (code.length - visible.length) + at) }
}

const starts = new Map<string, number[]>()

function lineOf(text: string, line: number): string {
  let known = starts.get(text)
  if (known === undefined) {
    known = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) known.push(at + 1)
    starts.clear()
    starts.set(text, known)
  }
  const start = known[line - 1] ?? text.length
  return text.slice(start, (known[line] ?? text.length + 1) - 1)
}
