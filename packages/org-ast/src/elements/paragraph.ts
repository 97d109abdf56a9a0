import { type Above, bare, frame, type ParseEnv, skipBlankLines } from '../environment/env.ts'
import { parseObjects } from '../objects/objects.ts'
import { flags } from '../text/characters.ts'
import type { Paragraph } from '../tree/lesser-elements.ts'
import type { OrgObject } from '../tree/object-nodes.ts'

/** True for a line that ends the paragraph above it. */
type Interrupts = (env: ParseEnv, line: number, limit: number) => boolean

const interrupting = flags('#:|+-*[\\%cC0123456789', 129)

/** Parses the text that begins at an offset of a line. */
export function parseParagraph(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  begin: number,
  interrupts: Interrupts,
): Paragraph {
  const { marks, starts } = env.lines
  let after = line + 1
  for (; after < limit; after++) {
    const mark = marks[after]!
    if (mark === 0 || (interrupting[mark] === 1 && interrupts(env, after, limit))) break
  }
  const paragraph = frame(env, 'paragraph', above, line, after, limit)
  paragraph.contain(begin, starts[after]!)
  paragraph.children = parseObjects(env, begin, starts[after]!, 'paragraph') as OrgObject[]
  return paragraph
}

/** Parses the paragraph that a blank line begins, which happens at the start of a block. */
export function parseBlankStart(
  env: ParseEnv,
  line: number,
  limit: number,
  interrupts: Interrupts,
): Paragraph {
  const { ends, starts } = env.lines
  const [begin, end] = [starts[line]!, starts[line + 1]!]
  if (begin !== ends[line]) return parseParagraph(env, bare(begin), line, limit, begin, interrupts)
  const next = skipBlankLines(env, line, limit)
  const paragraph = frame(env, 'paragraph', bare(begin), line, next, limit)
  paragraph.endAt(starts[next]!, next - line)
  paragraph.contain(begin, end)
  paragraph.children = parseObjects(env, begin, end, 'paragraph') as OrgObject[]
  return paragraph
}
