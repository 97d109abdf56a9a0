import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import type { FixedWidth } from '../tree/lesser-elements.ts'
import { isMarked, markedRun } from './comment.ts'

/** True for a line of fixed-width text. */
export function isFixedWidth(env: ParseEnv, line: number): boolean {
  return isMarked(env, line, 58)
}

/** Parses a run of `: ` lines. */
export function parseFixedWidth(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): FixedWidth {
  const { after, value } = markedRun(env, line, limit, 58)
  const area = frame(env, 'fixed-width', above, line, after, limit)
  area.value = value
  return area
}
