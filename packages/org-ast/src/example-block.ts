import { type Above, frame, type ParseEnv } from './env.ts'
import { unescapeCode } from './escape.ts'
import { ExampleBlock } from './nodes.ts'
import { readSwitches } from './src-block.ts'

/** Parses `#+begin_example` … `#+end_example`; `closer` is the last line. */
export function parseExampleBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
): ExampleBlock {
  const { text, lines } = env
  const head = text.slice(lines.first[line]! + '#+begin_example'.length, lines.ends[line])
  const switches = /^ +(.*)/s.exec(head)?.[1] ?? null
  const block = new ExampleBlock('example-block', env.origin, above.begin)
  frame(env, block, above, lines.starts[line]!, closer + 1, limit)
  block.switches = switches
  readSwitches(block, switches)
  block.value = unescapeCode(text.slice(lines.starts[line + 1], lines.starts[closer]))
  return block
}
