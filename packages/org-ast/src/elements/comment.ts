import { closeElement, type ParseEnv } from '../environment/env.ts'
import { Comment } from '../tree/lesser-elements.ts'

/** True for a line of a comment. */
export function isComment(env: ParseEnv, line: number): boolean {
  return isMarked(env, line, 35)
}

/** True for a line that begins with this character and a space, or consists of it. */
export function isMarked(env: ParseEnv, line: number, mark: number): boolean {
  const { text, lines } = env
  if (lines.marks[line] !== mark) return false
  const next = lines.first[line]! + 1
  return next === lines.ends[line] || text.charCodeAt(next) === 32
}

/** The marked lines from a line on without their marks, and the line after them. */
export function markedRun(
  env: ParseEnv,
  line: number,
  limit: number,
  mark: number,
): { after: number; value: string } {
  const { text, lines } = env
  let value = ''
  let at = line
  for (; at < limit && isMarked(env, at, mark); at++) {
    const end = lines.ends[at]!
    if (at > line) value += '\n'
    value += text.slice(Math.min(lines.first[at]! + 2, end), end)
  }
  return { after: at, value }
}

/** Parses a run of `# ` lines. */
export function parseComment(env: ParseEnv, line: number, limit: number): Comment {
  const { after, value } = markedRun(env, line, limit, 35)
  const comment = new Comment('comment', env.origin, env.lines.starts[line]!)
  closeElement(env, comment, after, limit)
  comment.value = value
  return comment
}
