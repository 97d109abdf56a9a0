import { word } from './characters.ts'
import { type Above, frame, type ParseEnv, type ParseLines } from './env.ts'
import { fillBlock } from './greater-block.ts'
import { DynamicBlock } from './nodes.ts'

const headPattern = new RegExp(`^[ \\t]*(${word})(?:[ \\t]+(.+))?`, 's')

/** Parses `#+begin: name arguments` … `#+end:`; `closer` is the last line. */
export function parseDynamicBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
  parseLines: ParseLines,
): DynamicBlock {
  const { text, lines } = env
  const head = text.slice(lines.first[line]! + '#+begin:'.length, lines.ends[line])
  const match = headPattern.exec(head)!
  const block = new DynamicBlock('dynamic-block', env.origin, above.begin)
  frame(env, block, above, lines.starts[line]!, closer + 1, limit)
  block.blockName = match[1]!
  block.arguments = match[2] ?? null
  fillBlock(env, block, line + 1, closer, parseLines)
  return block
}
