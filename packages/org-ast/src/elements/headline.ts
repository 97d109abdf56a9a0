import type { ParseEnv } from '../environment/env.ts'
import { parseObjects } from '../objects/objects.ts'
import { isBlankCode, skipBlanks, skipBlanksBack } from '../text/lines.ts'
import { Headline, type Inlinetask } from '../tree/nodes.ts'

/** The number of stars of the headline or inlinetask on a line, or 0 when it is neither. */
export function countStars(env: ParseEnv, line: number): number {
  const { text, lines } = env
  const start = lines.starts[line]!
  if (lines.marks[line] !== 42 || lines.first[line] !== start) return 0
  const end = lines.ends[line]!
  let at = start + 1
  while (at < end && text.charCodeAt(at) === 42) at++
  return at < end && text.charCodeAt(at) === 32 ? at - start : 0
}

/** The level of the headline on a line, or 0 when it is not one. */
export function headlineLevel(env: ParseEnv, line: number): number {
  const stars = countStars(env, line)
  return stars < env.inlinetaskLevel ? stars : 0
}

/** Parses a headline's own line; its contents and its end are filled in by the caller. */
export function parseHeadlineLine(env: ParseEnv, line: number, level: number): Headline {
  const { lines } = env
  const start = lines.starts[line]!
  const headline = new Headline('headline', env.origin, start)
  readTitle(env, headline, line, level)
  headline.footnoteSectionP = headline.rawValue === 'Footnotes'
  headline.preBlank = 0
  headline.children = []
  return headline
}

/** Reads everything that may stand on the line of a headline or an inlinetask. */
export function readTitle(
  env: ParseEnv,
  node: Headline | Inlinetask,
  line: number,
  level: number,
): void {
  const { text, lines } = env
  const lineEnd = lines.ends[line]!
  let at = skipBlanks(text, lines.starts[line]! + level, lineEnd)
  const keyword = readKeyword(env, at, lineEnd)
  if (keyword !== null) at = skipBlanks(text, at + keyword.length, lineEnd)
  const priority = readPriority(text, at, lineEnd)
  if (priority !== null) at = priority.after
  const commented = isComment(text, at, lineEnd)
  if (commented) at = skipBlanks(text, at + 'COMMENT'.length, lineEnd)
  const begin = skipBlanks(text, at, lineEnd)
  const tagged = readTags(text, begin, lineEnd)
  const end = Math.max(begin, tagged.titleEnd)
  node.level = level
  node.rawValue = text.slice(begin, end)
  node.title = begin < end ? parseObjects(env, begin, end, 'headline') : []
  node.todoKeyword = keyword
  node.todoType = keyword === null ? null : env.keywords.get(keyword)!
  node.priority = priority === null ? null : priority.value
  node.tags = tagged.tags
  node.commentedp = commented
  node.archivedp = tagged.tags.includes('ARCHIVE')
}

function readKeyword(env: ParseEnv, at: number, end: number): string | null {
  const { text, keywords } = env
  let after = at
  while (after < end && text.charCodeAt(after) !== 32 && after - at <= keywordLengthMax) after++
  const word = text.slice(at, after)
  return keywords.has(word) && (after === end || text[after] === ' ') ? word : null
}

const keywordLengthMax = 200

const priorityPattern = /\[#([A-Za-z]|[0-9]|[1-5][0-9]|6[0-4])\] ?/y

function readPriority(
  text: string,
  from: number,
  end: number,
): { value: string; after: number } | null {
  for (let at = from; at + 3 < end; at++) {
    if (text.charCodeAt(at) !== 91 || text.charCodeAt(at + 1) !== 35) continue
    priorityPattern.lastIndex = at
    const match = priorityPattern.exec(text)
    if (match === null || at + match[0].length > end) continue
    return { value: match[1]!, after: at + match[0].length }
  }
  return null
}

function isComment(text: string, at: number, end: number): boolean {
  if (!text.startsWith('COMMENT', at)) return false
  const after = at + 'COMMENT'.length
  return after === end || (after < end && text[after] === ' ')
}

interface Tagged {
  tags: string[]
  /** Offset where the title ends, trailing white space excluded. */
  titleEnd: number
}

const tagsPattern = /^:[\p{L}\p{M}\p{Nd}\p{Nl}_@#%:]+:$/u
const noTags: string[] = Object.freeze([]) as unknown as string[]

function readTags(text: string, begin: number, lineEnd: number): Tagged {
  const end = skipBlanksBack(text, lineEnd, begin)
  if (end === begin || text[end - 1] !== ':') return { tags: noTags, titleEnd: end }
  let at = end
  while (at > begin && !isBlankCode(text.charCodeAt(at - 1))) at--
  const word = text.slice(at, end)
  if (!isBlankCode(text.charCodeAt(at - 1)) || !tagsPattern.test(word)) {
    return { tags: noTags, titleEnd: end }
  }
  return {
    tags: word.split(':').filter((tag) => tag !== ''),
    titleEnd: skipBlanksBack(text, at, begin),
  }
}
