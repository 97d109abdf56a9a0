import { type Above, frame, type ParseEnv, skipBlankLines } from '../environment/env.ts'
import { isWord, trim } from '../text/characters.ts'
import { lineText } from '../text/lines.ts'
import type { Drawer } from '../tree/nodes.ts'
import { fillBlock } from './greater-block.ts'

/** True for a line of the form `:name:`. */
export function isDrawerLine(env: ParseEnv, line: number): boolean {
  const { text, lines } = env
  const first = lines.first[line]!
  const content = trim(text.slice(first, Math.min(lines.ends[line]!, first + 1000)))
  if (content.length < 3 || content[content.length - 1] !== ':') return false
  for (const character of content.slice(1, -1)) {
    if (character !== '-' && character !== '_' && !isWord(character)) return false
  }
  return true
}

/** Parses `:name:` … `:end:`; `closer` is the last line. */
export function parseDrawer(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): Drawer {
  const { lines } = env
  const drawer = frame(env, 'drawer', above, line, closer + 1, limit)
  drawer.drawerName = trim(lineText(lines, line)).slice(1, -1)
  const first = skipBlankLines(env, line + 1, closer)
  drawer.preBlank = first - line - 1
  fillBlock(env, drawer, first, closer)
  return drawer
}
