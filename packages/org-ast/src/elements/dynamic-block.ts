import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { word } from '../text/characters.ts'
import { lineText } from '../text/lines.ts'
import type { DynamicBlock } from '../tree/nodes.ts'
import { fillBlock } from './greater-block.ts'

const headPattern = new RegExp(`^[ \\t]*(${word})(?:[ \\t]+(.+))?`, 's')

/** Parses `#+begin: name arguments` … `#+end:`; `closer` is the last line. */
export function parseDynamicBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): DynamicBlock {
  const { lines } = env
  const head = lineText(lines, line, '#+begin:'.length)
  const match = headPattern.exec(head)!
  const block = frame(env, 'dynamic-block', above, line, closer + 1, limit)
  block.blockName = match[1]!
  block.arguments = match[2] ?? null
  fillBlock(env, block, line + 1, closer)
  return block
}
