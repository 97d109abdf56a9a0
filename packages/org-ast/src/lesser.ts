import type { Above, ParseEnv, ParseLines } from './env.ts'
import { affiliatedProperties, closeElement, skipBlankLines } from './env.ts'
import { isBlankCode } from './lines.ts'
import type {
  Clock,
  Comment,
  DiarySexp,
  FixedWidth,
  FootnoteDefinition,
  HorizontalRule,
} from './nodes.ts'
import { parseTimestamp } from './timestamp.ts'

function markedAt(env: ParseEnv, line: number, mark: number, first: number): boolean {
  const { text, lines } = env
  if (text.charCodeAt(first) !== mark) return false
  return first + 1 === lines.ends[line] || isBlankCode(text.charCodeAt(first + 1))
}

interface Run {
  after: number
  value: string
}

function markedRun(env: ParseEnv, line: number, limit: number, mark: number): Run {
  const { text, lines } = env
  const values: string[] = []
  let at = line
  let first = lines.first[line]!
  while (at < limit && markedAt(env, at, mark, first)) {
    const end = lines.ends[at]!
    values.push(text.slice(Math.min(first + 2, end), end))
    at++
    if (at < limit) first = lines.first[at]!
  }
  return { after: at, value: values.join('\n') }
}

/** Parses a run of `# ` lines. */
export function parseComment(env: ParseEnv, above: Above, line: number, limit: number): Comment {
  const { after, value } = markedRun(env, line, limit, 35)
  return { type: 'comment', ...closeElement(env, above.begin, after, limit), value }
}

/** Parses a run of `: ` lines. */
export function parseFixedWidth(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): FixedWidth {
  const { after, value } = markedRun(env, line, limit, 58)
  return {
    type: 'fixed-width',
    ...closeElement(env, above.begin, after, limit),
    ...affiliatedProperties(above, env.lines.starts[line]!),
    value,
  }
}

/** Parses a line of five or more dashes. */
export function parseRule(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): HorizontalRule {
  return {
    type: 'horizontal-rule',
    ...closeElement(env, above.begin, line + 1, limit),
    ...affiliatedProperties(above, env.lines.starts[line]!),
  }
}

/** Parses a `%%(sexp)` line; the value is the line without trailing white space. */
export function parseDiarySexp(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): DiarySexp {
  const { text, lines } = env
  return {
    type: 'diary-sexp',
    ...closeElement(env, above.begin, line + 1, limit),
    ...affiliatedProperties(above, lines.starts[line]!),
    value: text.slice(lines.starts[line], lines.ends[line]).trimEnd(),
  }
}

/** Parses a `CLOCK:` line. */
export function parseClock(env: ParseEnv, line: number, limit: number): Clock {
  const { text, lines } = env
  let at = lines.first[line]! + 'CLOCK:'.length
  const end = lines.ends[line]!
  while (at < end && isBlankCode(text.charCodeAt(at))) at++
  const value = parseTimestamp(text, at, env, end)
  const duration = /=>[ \t]*(\S+)/.exec(text.slice(at, end))?.[1] ?? null
  return {
    type: 'clock',
    ...closeElement(env, lines.starts[line]!, line + 1, limit),
    value,
    duration,
    status: duration === null ? 'running' : 'closed',
  }
}

const labelPattern = /^\[fn:([-_\p{L}\p{N}]+)\][ \t]*/u

/** Parses `[fn:label] …` and what belongs to it. */
export function parseFootnote(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  parseLines: ParseLines,
): FootnoteDefinition {
  const { text, lines } = env
  const begin = lines.starts[line]!
  const match = labelPattern.exec(text.slice(begin, lines.ends[line]))!
  const after = footnoteEnd(env, line, limit)
  let inside = begin + match[0].length
  let first = line
  if (inside >= lines.ends[line]!) {
    first = skipBlankLines(env, line + 1, after)
    inside = lines.starts[first]!
  }
  const empty = first >= after
  env.depth++
  const children = empty ? [] : parseLines(env, first, after, inside)
  env.depth--
  return {
    type: 'footnote-definition',
    ...closeElement(env, above.begin, after, limit),
    ...affiliatedProperties(above, begin),
    contentsBegin: empty ? null : inside,
    contentsEnd: empty ? null : lines.starts[after]!,
    label: match[1]!,
    preBlank: first > line ? first - line - 1 : 0,
    children: children as FootnoteDefinition['children'],
  }
}

/** The line after a definition's last visible one. */
function footnoteEnd(env: ParseEnv, line: number, limit: number): number {
  const { text, lines } = env
  let after = line + 1
  for (let at = line + 1; at < limit; at++) {
    if (lines.isBlank(at)) {
      if (at + 1 < limit && lines.isBlank(at + 1)) break
      continue
    }
    const start = lines.starts[at]!
    if (text.charCodeAt(start) === 91 && labelPattern.test(text.slice(start, lines.ends[at]))) break
    after = at + 1
  }
  return after
}
