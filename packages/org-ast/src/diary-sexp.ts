import { type Above, frame, type ParseEnv } from './env.ts'
import { DiarySexp } from './nodes.ts'

/** Parses a `%%(sexp)` line. */
export function parseDiarySexp(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): DiarySexp {
  const { text, lines } = env
  const sexp = new DiarySexp('diary-sexp', env.origin, above.begin)
  frame(env, sexp, above, lines.starts[line]!, line + 1, limit)
  sexp.value = text.slice(lines.starts[line], lines.ends[line])
  return sexp
}
