import { type Above, frame, type ParseEnv } from './env.ts'
import { CommentBlock } from './nodes.ts'

/** Parses `#+begin_comment` … `#+end_comment`; `closer` is the last line. */
export function parseCommentBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
): CommentBlock {
  const { text, lines } = env
  const block = new CommentBlock('comment-block', env.origin, above.begin)
  frame(env, block, above, lines.starts[line]!, closer + 1, limit)
  block.value = text.slice(lines.starts[line + 1], lines.starts[closer])
  return block
}
