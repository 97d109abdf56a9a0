import { closeElement, type ParseEnv } from './env.ts'
import { isBlankCode } from './lines.ts'
import type { Planning } from './nodes.ts'
import { parseTimestamp } from './timestamp.ts'

const keywordPattern = /\b(SCHEDULED|DEADLINE|CLOSED):/g

/** Parses a planning line, or returns null when the line is something else. */
export function parsePlanning(env: ParseEnv, line: number, limit: number): Planning | null {
  const { text, lines } = env
  const first = lines.first[line]!
  const end = lines.ends[line]!
  const code = text.charCodeAt(first)
  if (code !== 83 && code !== 68 && code !== 67) return null
  const content = text.slice(first, end)
  if (!/^(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<[]/.test(content)) return null
  const planning: Planning = {
    type: 'planning',
    ...closeElement(env, lines.starts[line]!, line + 1, limit),
    scheduled: null,
    deadline: null,
    closed: null,
  }
  for (const match of content.matchAll(keywordPattern)) {
    let at = first + match.index + match[0].length
    while (at < end && isBlankCode(text.charCodeAt(at))) at++
    const timestamp = parseTimestamp(text, at, env, end)
    const key = match[1]!.toLowerCase() as 'scheduled' | 'deadline' | 'closed'
    if (timestamp !== null) planning[key] = timestamp
  }
  return planning
}
