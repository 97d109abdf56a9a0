import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { parseObjects } from '../objects/objects.ts'
import type { VerseBlock } from '../tree/lesser-elements.ts'

/** Parses `#+begin_verse` … `#+end_verse`; `closer` is the last line. */
export function parseVerseBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): VerseBlock {
  const { starts } = env.lines
  const begin = starts[line + 1]!
  const end = starts[closer]!
  const block = frame(env, 'verse-block', above, line, closer + 1, limit)
  block.contain(begin, end)
  block.children = parseObjects(env, begin, end, 'verse-block')
  return block
}
