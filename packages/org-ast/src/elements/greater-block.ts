import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { trim } from '../text/characters.ts'
import { lineText } from '../text/lines.ts'
import type { AffiliatedParent, CenterBlock, QuoteBlock, SpecialBlock } from '../tree/nodes.ts'

/** Fills a block with the elements between its first line and the closing one. */
export function fillBlock(
  env: ParseEnv,
  node: AffiliatedParent,
  first: number,
  closer: number,
): void {
  const { starts } = env.lines
  if (first >= closer) {
    node.children = []
    return
  }
  node.contain(starts[first]!, starts[closer]!)
  env.depth++
  node.children = env.elements(env, first, closer, starts[first]!)
  env.depth--
}

/** Parses `#+begin_name` … `#+end_name` with elements inside; `closer` is the last line. */
export function parseGreaterBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
  name: string,
): CenterBlock | QuoteBlock | SpecialBlock {
  const block = frame(env, typeOf(name), above, line, closer + 1, limit)
  if (block.type === 'special-block') {
    block.blockType = name
    block.parameters = trim(lineText(env.lines, line, '#+begin_'.length + name.length)) || null
  }
  fillBlock(env, block, line + 1, closer)
  return block
}

function typeOf(name: string): 'center-block' | 'quote-block' | 'special-block' {
  const lower = name.toLowerCase()
  return lower === 'center' || lower === 'quote' ? `${lower}-block` : 'special-block'
}
