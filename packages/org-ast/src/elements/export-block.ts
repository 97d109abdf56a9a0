import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { word } from '../text/characters.ts'
import { unescapeCode } from '../text/escape.ts'
import { lineText, textBetween } from '../text/lines.ts'
import type { ExportBlock } from '../tree/lesser-elements.ts'

const backendPattern = new RegExp(`^[ \\t]+(${word})[ \\t]*$`)

/** Parses `#+begin_export backend` … `#+end_export`; `closer` is the last line. */
export function parseExportBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): ExportBlock {
  const { lines } = env
  const head = lineText(lines, line, '#+begin_export'.length)
  const block = frame(env, 'export-block', above, line, closer + 1, limit)
  block.backend = backendPattern.exec(head)?.[1]?.toUpperCase() ?? null
  block.value = unescapeCode(textBetween(lines, line + 1, closer))
  return block
}
