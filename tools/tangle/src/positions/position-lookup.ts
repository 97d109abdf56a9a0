import { type LineIndex, type Mapped, originAt } from 'org-ast'

/** The offset of a 1-based line and column, at most that of the line's end; null for no line. */
export function offsetOf(lines: LineIndex, line: number, column: number): number | null {
  const { count, text } = lines
  if (line === count + 1 && /(?:^|\n)$/.test(text)) return text.length
  const start = lines.starts[line - 1]
  if (start === undefined || line > count || line < 1) return null
  return Math.min(start + Math.max(column, 1) - 1, lines.ends[line - 1]!)
}

/** A place in a document. */
export interface OrgPlace {
  /** UTF-16, from 0. */
  offset: number
  /** 1-based. */
  line: number
  /** 1-based, in UTF-16 units. */
  column: number
  /** False for what the tool has made; the place is then that of its cause. */
  copied: boolean
}

/** The place in the document that an offset of a tangled text came from. */
export function orgPlace(code: Mapped, document: LineIndex, offset: number): OrgPlace {
  let at = Math.min(offset, code.text.length)
  let origin = originAt(code, at)
  if (at === code.text.length) origin = { ...origin, copied: false }
  while (at > 0 && !origin.copied && (code.text[at] ?? '\n') === '\n') {
    const before = originAt(code, --at)
    const end = before.copied ? before.source + 1 : before.source
    origin = { source: end, copied: before.copied }
    if (origin.copied) return { ...pointOf(document, end), copied: false }
  }
  return { ...pointOf(document, origin.source), copied: origin.copied }
}

function pointOf(document: LineIndex, source: number): Omit<OrgPlace, 'copied'> {
  const { line, column, offset } = document.point(source)
  return { offset, line, column }
}

/** The offsets of a tangled text at which something from a stretch of the document begins. */
export function codeOffsets(code: Mapped, begin: number, end: number): number[] {
  return code.runs.flatMap((run, index) => {
    const next = code.runs[index + 1]?.at ?? code.text.length
    if (run.copied) {
      const from = Math.max(begin, run.source)
      const inside = from < Math.min(end, run.source + next - run.at)
      return inside ? [run.at + from - run.source] : []
    }
    const visible = code.text.slice(run.at, next).trim() !== ''
    return visible && begin <= run.source && run.source < end ? [run.at] : []
  })
}
