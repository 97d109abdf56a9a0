import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import type { DiarySexp } from '../tree/lesser-elements.ts'

/** Parses a `%%(sexp)` line. */
export function parseDiarySexp(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): DiarySexp {
  const { text, lines } = env
  const sexp = frame(env, 'diary-sexp', above, line, line + 1, limit)
  sexp.value = text.slice(lines.starts[line], lines.ends[line])
  return sexp
}
