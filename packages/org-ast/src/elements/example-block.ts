import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { unescapeCode } from '../text/escape.ts'
import { lineText, textBetween } from '../text/lines.ts'
import type { ExampleBlock } from '../tree/lesser-elements.ts'
import { readSwitches } from './src-block.ts'

/** Parses `#+begin_example` … `#+end_example`; `closer` is the last line. */
export function parseExampleBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): ExampleBlock {
  const { lines } = env
  const head = lineText(lines, line, '#+begin_example'.length)
  const switches = /^ +(.*)/s.exec(head)?.[1] ?? null
  const block = frame(env, 'example-block', above, line, closer + 1, limit)
  block.switches = switches
  readSwitches(block, switches)
  block.value = unescapeCode(textBetween(lines, line + 1, closer))
  return block
}
