import { type Above, frame, type ParseEnv, type ParseLines, skipBlankLines } from './env.ts'
import { fillBlock } from './greater-block.ts'
import { Drawer } from './nodes.ts'

/** Parses `:name:` … `:end:`; `closer` is the last line. */
export function parseDrawer(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
  parseLines: ParseLines,
): Drawer {
  const { text, lines } = env
  const drawer = new Drawer('drawer', env.origin, above.begin)
  frame(env, drawer, above, lines.starts[line]!, closer + 1, limit)
  drawer.drawerName = text
    .slice(lines.first[line]! + 1, lines.ends[line])
    .trimEnd()
    .slice(0, -1)
  const first = skipBlankLines(env, line + 1, closer)
  drawer.preBlank = first - line - 1
  fillBlock(env, drawer, first, closer, parseLines)
  return drawer
}
