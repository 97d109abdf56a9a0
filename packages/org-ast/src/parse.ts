import { isComment, parseComment } from './comment.ts'
import { parseElements } from './elements.ts'
import { createEnv, type ParseEnv, skipBlankLines } from './env.ts'
import { headlineLevel, parseHeadlineLine } from './headline.ts'
import { type Headline, OrgData, type OrgElement, Origin, Section } from './nodes.ts'
import { parsePlanning } from './planning.ts'
import { parsePropertyDrawer } from './property-drawer.ts'
import { radioPattern } from './radio.ts'
import { type ReadFile, readSettings } from './settings.ts'

/** How to parse. */
export interface ParseOptions {
  /** Another engine, which gets the text and these options; by default the one of this package. */
  engine?: Engine
  /** TODO keywords for a file that declares none; by default TODO and DONE. */
  todoKeywords?: { todo: readonly string[]; done: readonly string[] }
  /** Stars from which on a headline is an inlinetask, 15 in Emacs; by default there are none. */
  inlinetaskLevel?: number
  /** Gives the text of a `#+setupfile:`; by default such files are not read. */
  readFile?: ReadFile
}

/** Whatever makes our tree out of a text; it may not throw. */
export type Engine = (text: string, options: Omit<ParseOptions, 'engine'>) => OrgData

/**
 * Parses an Org document. Never throws, whatever the text, and takes time in proportion to its
 * length. Offsets in the tree are UTF-16 indices into the text as given.
 */
export function parse(text: string, options: ParseOptions = {}): OrgData {
  const { engine, ...rest } = options
  if (engine !== undefined) return engine(text, rest)
  const env = createEnv(text)
  const settings = readSettings(env, options.todoKeywords, options.readFile)
  Object.assign(env, settings.env)
  env.inlinetaskLevel = options.inlinetaskLevel ?? env.inlinetaskLevel
  const tree = parseTree(env, settings.filetags)
  env.radioPattern = radioPattern(env.radioTargets)
  return env.radioPattern === null ? tree : parseTree(env, settings.filetags)
}

function parseTree(env: ParseEnv, filetags: string[]): OrgData {
  env.orphansUntil = -1
  env.unclosed = { date: 0, diary: 0 }
  const root = new OrgData('org-data', new Origin(env.lines), 0)
  root.preBlank = skipBlankLines(env, 0, env.lines.count)
  root.todoKeywords = [...env.todoKeywords]
  root.doneKeywords = [...env.doneKeywords]
  root.filetags = filetags
  root.children = []
  const { text } = env.lines
  root.contain(text.lastIndexOf('\n') + 1, text.length)
  readOutline(env, root)
  return root
}

function readOutline(env: ParseEnv, root: OrgData): void {
  const { lines } = env
  const open: Headline[] = []
  let after = nextHeadline(env, 0)
  env.origin = new Origin(lines)
  const preamble = parseSection(env, 0, after, false)
  if (preamble !== null) root.children.push(preamble)
  while (after < lines.count) {
    const line = after
    after = nextHeadline(env, line + 1)
    const level = headlineLevel(env, line)
    while (open.length > 0 && open[open.length - 1]!.level >= level) {
      finishHeadline(env, open.pop()!, line)
    }
    env.origin = new Origin(lines)
    const headline = parseHeadlineLine(env, line, level)
    const parent = open[open.length - 1] ?? root
    parent.children.push(headline)
    open.push(headline)
    const section = parseSection(env, line + 1, after, true)
    if (section !== null) headline.children.push(section)
    headline.preBlank = skipBlankLines(env, line + 1, after) - line - 1
  }
  while (open.length > 0) finishHeadline(env, open.pop()!, lines.count)
  root.endWith(env.origin, lines.text.length, 0)
}

/** The first line from `line` on that is a headline, or the number of lines. */
function nextHeadline(env: ParseEnv, line: number): number {
  const { count, marks } = env.lines
  let at = line
  while (at < count && (marks[at] !== 42 || headlineLevel(env, at) === 0)) at++
  return at
}

function finishHeadline(env: ParseEnv, headline: Headline, after: number): void {
  const { starts } = env.lines
  const empty = headline.children.length === 0
  headline.endWith(env.origin, starts[after]!, empty ? headline.preBlank : 0)
  if (empty) headline.preBlank = 0
}

function parseSection(
  env: ParseEnv,
  from: number,
  limit: number,
  underHeadline: boolean,
): Section | null {
  const { lines } = env
  const first = skipBlankLines(env, from, limit)
  if (first === limit) return null
  const section = new Section('section', env.origin, lines.starts[first]!)
  section.endAt(lines.starts[limit]!, 0)
  section.contain(lines.starts[first]!, lines.starts[limit]!)
  section.children = underHeadline
    ? underHeadlineElements(env, from, first, limit)
    : topElements(env, first, limit)
  return section
}

function underHeadlineElements(
  env: ParseEnv,
  below: number,
  first: number,
  limit: number,
): OrgElement[] {
  if (first > below) return parseElements(env, first, limit)
  const planning = parsePlanning(env, first, limit)
  const line = planning === null ? first : skipBlankLines(env, first + 1, limit)
  const drawer = parsePropertyDrawer(env, line, limit)
  if (planning === null && drawer === null) return parseElements(env, first, limit)
  const rest = parseElements(env, drawer?.after ?? line, limit)
  return [planning, drawer?.node ?? null, ...rest].filter((element) => element !== null)
}

function topElements(env: ParseEnv, first: number, limit: number): OrgElement[] {
  const comment = isComment(env, first) ? parseComment(env, first, limit) : null
  const line = comment === null ? first : lineAfter(env, comment.endOffset, limit)
  const drawer = parsePropertyDrawer(env, line, limit)
  const rest = parseElements(env, drawer?.after ?? line, limit)
  if (comment === null && drawer === null) return rest
  return [comment, drawer?.node ?? null, ...rest].filter((element) => element !== null)
}

function lineAfter(env: ParseEnv, offset: number, limit: number): number {
  return offset === env.lines.starts[limit] ? limit : env.lines.lineAt(offset)
}
