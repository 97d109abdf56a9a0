import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { textBetween } from '../text/lines.ts'
import type { LatexEnvironment } from '../tree/lesser-elements.ts'

const pattern = /^\\begin\{([A-Za-z0-9*]+)\}/i

/** The name of the environment that a line opens, or null. */
export function latexEnvironmentName(env: ParseEnv, line: number): string | null {
  const { text, lines } = env
  const first = lines.first[line]!
  if ((text.charCodeAt(first + 1) | 32) !== 98) return null
  return pattern.exec(text.slice(first, Math.min(lines.ends[line]!, first + 1000)))?.[1] ?? null
}

/** Parses `\begin{name}` … `\end{name}`; `closer` is the last line. */
export function parseLatexEnvironment(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): LatexEnvironment {
  const { lines } = env
  const environment = frame(env, 'latex-environment', above, line, closer + 1, limit)
  environment.value = textBetween(lines, line, closer + 1)
  return environment
}
