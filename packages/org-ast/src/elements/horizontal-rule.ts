import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { skipBlanks } from '../text/lines.ts'
import type { HorizontalRule } from '../tree/lesser-elements.ts'

/** True for a line of five or more dashes. */
export function isRule(env: ParseEnv, line: number): boolean {
  const { text, lines } = env
  const first = lines.first[line]!
  const end = lines.ends[line]!
  let at = first
  while (at < end && text.charCodeAt(at) === 45) at++
  if (at - first < 5) return false
  return skipBlanks(text, at, end) === end
}

/** Parses a rule. */
export function parseRule(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): HorizontalRule {
  const rule = frame(env, 'horizontal-rule', above, line, line + 1, limit)
  return rule
}
