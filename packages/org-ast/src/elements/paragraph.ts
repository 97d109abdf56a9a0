import { parseObjects } from '../objects/objects.ts'
import { type Above, bare, frame, type ParseEnv, skipBlankLines } from '../parse/env.ts'
import { flags } from '../text/characters.ts'
import type { OrgObject, Paragraph } from '../tree/nodes.ts'
import { isComment } from './comment.ts'
import { elementAt } from './elements.ts'
import { bulletEnd } from './list.ts'
import { isTableElRule } from './table.ts'

const interrupting = flags('#:|+-*[\\%cC0123456789', 129)

/** Parses the text that begins at an offset of a line. */
export function parseParagraph(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  begin: number,
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
export function parseBlankStart(env: ParseEnv, line: number, limit: number): Paragraph {
  const { ends, starts } = env.lines
  const [begin, end] = [starts[line]!, starts[line + 1]!]
  if (begin !== ends[line]) return parseParagraph(env, bare(begin), line, limit, begin)
  const next = skipBlankLines(env, line, limit)
  const paragraph = frame(env, 'paragraph', bare(begin), line, next, limit)
  paragraph.endAt(starts[next]!, next - line)
  paragraph.contain(begin, end)
  paragraph.children = parseObjects(env, begin, end, 'paragraph') as OrgObject[]
  return paragraph
}

function interrupts(env: ParseEnv, line: number, limit: number): boolean {
  const mark = env.lines.marks[line]
  if (mark === 35) return hashInterrupts(env, line, limit)
  if (elementAt(env, line, limit) !== null) return true
  return (mark === 43 && isTableElRule(env, line)) || (mark === 42 && bulletEnd(env, line) !== -1)
}

const dualPattern = /^#\+(\S+)\[.*\]:/s

function hashInterrupts(env: ParseEnv, line: number, limit: number): boolean {
  if (isComment(env, line)) return true
  const { text, lines } = env
  const first = lines.first[line]!
  if (text[first + 1] !== '+') return false
  const content = text.slice(first, Math.min(lines.ends[line]!, first + 1000))
  const block = /^#\+begin_(\S+)/i.exec(content)
  if (block !== null) {
    return env.closers.next(`#+end_${block[1]!.toLowerCase()}`, line + 1, limit) !== -1
  }
  const dual = dualPattern.exec(content)
  if (dual !== null) return /^(?:caption|results)$/i.test(dual[1]!)
  return /^#\+\S+:/.test(content)
}
