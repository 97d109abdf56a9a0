import type { ParseEnv } from './env.ts'
import { isBlankCode } from './lines.ts'
import type { Headline } from './nodes.ts'
import { parseObjects } from './objects.ts'

/** The level of the headline on a line, or 0 when it is not one. */
export function headlineLevel(env: ParseEnv, line: number): number {
  const { text, lines } = env
  const start = lines.starts[line]!
  if (text.charCodeAt(start) !== 42) return 0
  const end = lines.ends[line]!
  let at = start + 1
  while (at < end && text.charCodeAt(at) === 42) at++
  return at < end && text.charCodeAt(at) === 32 ? at - start : 0
}

/** Parses a headline's own line; its contents and its end are filled in by the caller. */
export function parseHeadlineLine(env: ParseEnv, line: number): Headline {
  const { text, lines } = env
  const start = lines.starts[line]!
  const level = headlineLevel(env, line)
  let at = skipBlanks(text, start + level, lines.ends[line]!)
  const tagged = readTags(text, at, lines.ends[line]!)
  const end = tagged.titleEnd
  const keyword = readKeyword(env, at, end)
  if (keyword !== null) at = skipBlanks(text, at + keyword.length, end)
  const priority = /^\[#([A-Z0-9]|[0-9]{2})\][ \t]*/.exec(text.slice(at, Math.min(at + 50, end)))
  if (priority !== null) at += priority[0].length
  const commented = /^COMMENT(?=[ \t]|$)[ \t]*/.exec(text.slice(at, Math.min(at + 50, end)))
  if (commented !== null) at += commented[0].length
  const titleBegin = Math.min(skipBlanks(text, at, end), end)
  return {
    type: 'headline',
    position: lines.position(start, lines.starts[line + 1]!),
    postBlank: 0,
    contentsBegin: null,
    contentsEnd: null,
    level,
    rawValue: text.slice(titleBegin, end),
    title: parseObjects(text, titleBegin, end, 'headline', env),
    todoKeyword: keyword,
    todoType: keyword === null ? null : env.doneKeywords.includes(keyword) ? 'done' : 'todo',
    priority: priority?.[1] ?? null,
    tags: tagged.tags,
    commentedp: commented !== null,
    archivedp: tagged.tags.includes('ARCHIVE'),
    footnoteSectionP: text.slice(titleBegin, end) === 'Footnotes',
    preBlank: 0,
    children: [],
  }
}

function skipBlanks(text: string, from: number, end: number): number {
  let at = from
  while (at < end && isBlankCode(text.charCodeAt(at))) at++
  return at
}

function readKeyword(env: ParseEnv, at: number, end: number): string | null {
  for (const keywords of [env.todoKeywords, env.doneKeywords]) {
    for (const keyword of keywords) {
      const after = at + keyword.length
      if (!env.text.startsWith(keyword, at) || after > end) continue
      if (after === end || isBlankCode(env.text.charCodeAt(after))) return keyword
    }
  }
  return null
}

interface Tagged {
  tags: string[]
  /** Offset where the title ends, trailing white space excluded. */
  titleEnd: number
}

const tagsPattern = /^:(?:[\p{L}\p{N}_@#%]+:)+$/u

function readTags(text: string, begin: number, lineEnd: number): Tagged {
  let end = lineEnd
  while (end > begin && isBlankCode(text.charCodeAt(end - 1))) end--
  const none = { tags: [], titleEnd: end }
  if (end === begin || text.charCodeAt(end - 1) !== 58) return none
  let at = end
  while (at > begin && !isBlankCode(text.charCodeAt(at - 1))) at--
  const word = text.slice(at, end)
  if (!tagsPattern.test(word)) return none
  while (at > begin && isBlankCode(text.charCodeAt(at - 1))) at--
  return { tags: word.slice(1, -1).split(':'), titleEnd: at }
}
