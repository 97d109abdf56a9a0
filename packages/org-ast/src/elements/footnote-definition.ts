import {
  type Above,
  frame,
  type ParseEnv,
  skipBlankLines,
  withoutBlankLines,
} from '../environment/env.ts'
import { notWordClass } from '../text/characters.ts'
import { skipBlanks } from '../text/lines.ts'
import type { FootnoteDefinition } from '../tree/nodes.ts'
import { isAffiliated } from './affiliated.ts'
import { countStars } from './headline.ts'

const pattern = new RegExp(`^\\[fn:((?:[-_]|[^${notWordClass}])+)\\]`, 'iu')

function labelAt(env: ParseEnv, line: number): RegExpExecArray | null {
  const { text, lines } = env
  const start = lines.starts[line]!
  if (lines.marks[line] !== 91 || lines.first[line] !== start) return null
  if ((text.charCodeAt(start + 1) | 32) !== 102) return null
  return pattern.exec(text.slice(start, lines.ends[line]))
}

/** True for a line that begins with `[fn:label]`. */
export function isFootnoteDefinition(env: ParseEnv, line: number): boolean {
  return labelAt(env, line) !== null
}

/** Parses `[fn:label] …` and what belongs to it. */
export function parseFootnoteDefinition(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): FootnoteDefinition {
  const { text, lines } = env
  const begin = lines.starts[line]!
  const label = labelAt(env, line)!
  const after = withoutBlankLines(env, line, footnoteEnd(env, line, limit))
  let inside = skipBlanks(text, begin + label[0].length, lines.ends[line]!)
  let first = line
  if (inside >= lines.ends[line]!) {
    first = skipBlankLines(env, line + 1, after)
    inside = lines.starts[first]!
  }
  const definition = frame(env, 'footnote-definition', above, line, after, limit)
  definition.label = label[1]!
  definition.preBlank = first < after && first > line ? first - line + above.affiliated.length : 0
  definition.children = []
  if (first < after) {
    definition.contain(inside, lines.starts[after]!)
    env.depth++
    definition.children = env.elements(env, first, after, inside)
    env.depth--
  }
  return definition
}

/** The first line that does not belong to the definition any more. */
function footnoteEnd(env: ParseEnv, line: number, limit: number): number {
  const { lines } = env
  for (let at = line + 1; at < limit; at++) {
    if (lines.isBlank(at)) {
      if (at + 1 < limit && lines.isBlank(at + 1)) return at
    } else if (countStars(env, at) > 0) return at
    else if (isFootnoteDefinition(env, at)) {
      let end = at
      while (end - 1 > line && isAffiliated(env, end - 1)) end--
      return end
    }
  }
  return limit
}
