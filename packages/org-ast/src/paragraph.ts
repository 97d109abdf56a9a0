import { isClock } from './clock.ts'
import { isComment } from './comment.ts'
import { isDrawerLine } from './elements.ts'
import { type Above, frame, type ParseEnv } from './env.ts'
import { isFixedWidth } from './fixed-width.ts'
import { isFootnoteDefinition } from './footnote-definition.ts'
import { countStars } from './headline.ts'
import { isRule } from './horizontal-rule.ts'
import { latexEnvironmentName } from './latex-environment.ts'
import { bulletEnd } from './list.ts'
import { type OrgObject, Paragraph } from './nodes.ts'
import { parseObjects } from './objects.ts'
import { isTableElRule } from './table.ts'

const interrupting = new Uint8Array(129)
for (const mark of '#:|+-*[\\%cC0123456789') interrupting[mark.charCodeAt(0)] = 1

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
  const paragraph = new Paragraph('paragraph', env.origin, above.begin)
  frame(env, paragraph, above, begin, after, limit)
  paragraph.contain(begin, starts[after]!)
  paragraph.children = parseObjects(env, begin, starts[after]!, 'paragraph') as OrgObject[]
  return paragraph
}

function interrupts(env: ParseEnv, line: number, limit: number): boolean {
  const { text, lines } = env
  switch (lines.marks[line]) {
    case 35: // #
      return hashInterrupts(env, line, limit)
    case 58: // :
      if (isFixedWidth(env, line)) return true
      return isDrawerLine(env, line) && env.closers.next(':end:', line + 1, limit) !== -1
    case 124: // |
      return true
    case 91: // [
      return isFootnoteDefinition(env, line)
    case 92: {
      const name = latexEnvironmentName(env, line)
      if (name === null) return false
      return env.closers.next(`\\end{${name.toLowerCase()}}`, line, limit) !== -1
    }
    case 37: // %
      return lines.first[line] === lines.starts[line] && text.startsWith('%%(', lines.starts[line])
    case 67: // C
    case 99: // c
      return isClock(env, line)
    case 43: // +
      return isTableElRule(env, line) || bulletEnd(env, line) !== -1
    case 45: // -
      return isRule(env, line) || bulletEnd(env, line) !== -1
    case 42: // *
      return bulletEnd(env, line) !== -1 || countStars(env, line) > 0
    default:
      return bulletEnd(env, line) !== -1
  }
}

const dualPattern = /^#\+(\S+)\[.*\]:/

function hashInterrupts(env: ParseEnv, line: number, limit: number): boolean {
  if (isComment(env, line)) return true
  const { text, lines } = env
  const first = lines.first[line]!
  if (text.charCodeAt(first + 1) !== 43) return false
  const content = text.slice(first, Math.min(lines.ends[line]!, first + 1000))
  const block = /^#\+begin_(\S+)/i.exec(content)
  if (block !== null) {
    return env.closers.next(`#+end_${block[1]!.toLowerCase()}`, line + 1, limit) !== -1
  }
  const dual = dualPattern.exec(content)
  if (dual !== null) return /^(?:caption|results)$/i.test(dual[1]!)
  return /^#\+\S+:/.test(content)
}
