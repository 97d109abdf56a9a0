import { word } from './characters.ts'
import { type Above, frame, type ParseEnv } from './env.ts'
import { unescapeCode } from './escape.ts'
import { ExportBlock } from './nodes.ts'

const backendPattern = new RegExp(`^[ \\t]+(${word})[ \\t]*$`)

/** Parses `#+begin_export backend` … `#+end_export`; `closer` is the last line. */
export function parseExportBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
): ExportBlock {
  const { text, lines } = env
  const head = text.slice(lines.first[line]! + '#+begin_export'.length, lines.ends[line])
  const block = new ExportBlock('export-block', env.origin, above.begin)
  frame(env, block, above, lines.starts[line]!, closer + 1, limit)
  block.backend = backendPattern.exec(head)?.[1]?.toUpperCase() ?? null
  block.value = unescapeCode(text.slice(lines.starts[line + 1], lines.starts[closer]))
  return block
}
