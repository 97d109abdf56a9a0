import { type Above, frame, type ParseEnv } from './env.ts'
import { isBlankCode } from './lines.ts'
import { HorizontalRule } from './nodes.ts'

/** True for a line of five or more dashes. */
export function isRule(env: ParseEnv, line: number): boolean {
  const { text, lines } = env
  const first = lines.first[line]!
  const end = lines.ends[line]!
  let at = first
  while (at < end && text.charCodeAt(at) === 45) at++
  if (at - first < 5) return false
  while (at < end && isBlankCode(text.charCodeAt(at))) at++
  return at === end
}

/** Parses a rule. */
export function parseRule(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): HorizontalRule {
  const rule = new HorizontalRule('horizontal-rule', env.origin, above.begin)
  frame(env, rule, above, env.lines.starts[line]!, line + 1, limit)
  return rule
}
