import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { textBetween } from '../text/lines.ts'
import type { CommentBlock } from '../tree/lesser-elements.ts'

/** Parses `#+begin_comment` … `#+end_comment`; `closer` is the last line. */
export function parseCommentBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): CommentBlock {
  const { lines } = env
  const block = frame(env, 'comment-block', above, line, closer + 1, limit)
  block.value = textBetween(lines, line + 1, closer)
  return block
}
