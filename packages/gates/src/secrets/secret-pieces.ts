/** The longest piece, in UTF-16 units; a text that is no longer is one piece. */
export const pieceMax = 6_144

const overlap = 1_536
const group = 24

/** The last good place for a cut in the text between two places, which are 1,024 apart or more. */
function cutIn(text: string, from: number, to: number): number {
  const line = text.lastIndexOf('\n', to - 1)
  if (line >= from) return line + 1
  for (let at = to - 1; at >= from; at--) if (isBlank(text.charCodeAt(at))) return at + 1
  return to - ((to - from) % group)
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13
}

/** What `look` finds in the pieces of a text, at its place in the whole. Linear when `look` is. */
export function inPieces<T extends { begin: number; end: number }>(
  text: string,
  look: (piece: string) => readonly T[],
): T[] {
  const found: T[] = []
  let seen = 0
  for (let begin = 0; seen < text.length; ) {
    const end =
      begin + pieceMax >= text.length
        ? text.length
        : cutIn(text, begin + pieceMax - group * 64, begin + pieceMax)
    const next = Math.max(begin + group, cutIn(text, end - overlap - group * 32, end - overlap))
    let known = end
    for (const finding of look(text.slice(begin, end))) {
      const at = { begin: begin + finding.begin, end: begin + finding.end }
      if (at.end <= seen) continue
      if (at.end === end && end < text.length) {
        if (at.begin >= next) {
          known = end - 1
          continue
        }
        at.end = rowEnd(text, end)
      }
      found.push({ ...finding, ...at })
    }
    seen = known
    begin = next
  }
  return found
}

const rowMax = 8_192

function rowEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + rowMax)
  let at = from
  if (isBlank(text.charCodeAt(from - 1)) || text[from - 1] === '\n') return from
  while (at < limit && !isBlank(text.charCodeAt(at)) && text[at] !== '\n') at++
  return at
}
