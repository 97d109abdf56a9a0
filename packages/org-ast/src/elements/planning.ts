import { closeElement, type ParseEnv } from '../environment/env.ts'
import { parseTimestamp } from '../objects/timestamp.ts'
import { skipBlanks } from '../text/lines.ts'
import { Planning } from '../tree/nodes.ts'

const linePattern = /^(?:SCHEDULED|DEADLINE|CLOSED):/i
const keywordPattern = /(SCHEDULED|DEADLINE|CLOSED):/g

/** Parses a planning line, or returns null when the line is something else. */
export function parsePlanning(env: ParseEnv, line: number, limit: number): Planning | null {
  const { text, lines } = env
  if (line >= limit) return null
  const mark = lines.marks[line]! | 32
  if (mark !== 115 && mark !== 100 && mark !== 99) return null
  const first = lines.first[line]!
  const end = lines.ends[line]!
  const content = text.slice(first, end)
  if (!linePattern.test(content)) return null
  const planning = new Planning('planning', env.origin, lines.starts[line]!)
  planning.scheduled = null
  planning.deadline = null
  planning.closed = null
  for (const match of content.matchAll(keywordPattern)) {
    const at = skipBlanks(text, first + match.index + match[0].length, end)
    const timestamp = parseTimestamp(env, at, end)
    const key = match[1]!.toLowerCase() as 'scheduled' | 'deadline' | 'closed'
    planning[key] = timestamp
  }
  closeElement(env, planning, line + 1, limit)
  return planning
}
