import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { isSpaceCode, trim } from '../text/characters.ts'
import type { Keyword } from '../tree/lesser-elements.ts'

/** Parses a keyword line. */
export function parseKeyword(env: ParseEnv, above: Above, line: number, limit: number): Keyword {
  const { text, lines } = env
  const begin = lines.first[line]! + 2
  const end = lines.ends[line]!
  let stop = begin
  let colon = begin
  for (; stop < end && !isSpaceCode(text.charCodeAt(stop)); stop++) {
    if (text.charCodeAt(stop) === 58) colon = stop
  }
  const keyword = frame(env, 'keyword', above, line, line + 1, limit)
  keyword.key = text.slice(begin, colon).toUpperCase()
  keyword.value = trim(text.slice(colon + 1, end))
  return keyword
}
