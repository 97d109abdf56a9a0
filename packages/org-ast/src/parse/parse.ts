import { isComment, parseComment } from '../elements/comment.ts'
import { parseElements } from '../elements/elements.ts'
import { headlineLevel, parseHeadlineLine } from '../elements/headline.ts'
import { elementsBelow, inFront, parsePropertyDrawer } from '../elements/property-drawer.ts'
import { createEnv, noElements, type ParseEnv, skipBlankLines } from '../environment/env.ts'
import { radioPattern } from '../objects/radio.ts'
import { Entries, Origin, type Run, startOfFile } from '../text/origin.ts'
import { type Headline, OrgData, type OrgElement, Section } from '../tree/nodes.ts'
import { Outline } from '../tree/outline.ts'
import { type ReadFile, readDeclarations, type Settings, settingsOf } from './settings.ts'

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
  /**
   * How deep to go. With `headline` a section under a headline has its planning line and property
   * drawer as children and nothing else, and radio targets there are not known; by default all is read.
   */
  granularity?: 'headline' | 'object'
}

/** Whatever makes our tree out of a text; it may not throw. */
export type Engine = (text: string, options: Omit<ParseOptions, 'engine'>) => OrgData

/**
 * Parses an Org document. Never throws, whatever the text, and takes time in proportion to its
 * length. Offsets in the tree are UTF-16 indices into the text as given.
 */
export function parse(text: string, options: ParseOptions = {}): OrgData {
  const { engine, ...rest } = options
  if (engine !== undefined) {
    const tree = engine(text, rest)
    tree.remember({ text, options, kept: null } satisfies Parsed)
    return tree
  }
  const env = createEnv(text, parseElements)
  const settings = settingsOf(readDeclarations(env, options), options.todoKeywords)
  declare(env, settings, options)
  const tree = parseTree(env, settings, options)
  env.radios = radioPattern(env.radioTargets)
  return env.radios === null ? tree : parseTree(env, settings, options)
}

/** Puts into an environment what a file declares and how it is to be parsed. */
export function declare(env: ParseEnv, settings: Settings, options: ParseOptions): void {
  Object.assign(env, settings.env)
  env.inlinetaskLevel = options.inlinetaskLevel ?? env.inlinetaskLevel
  env.isOutline = options.granularity === 'headline'
}

/** What is remembered of a parse: the text when another engine made the tree, else what is kept. */
export type Parsed =
  | { readonly options: ParseOptions; readonly text: string; readonly kept: null }
  | { readonly options: ParseOptions; readonly kept: Kept }

/** What the parts of a document have in common. */
export interface Kept {
  readonly settings: Settings
  readonly radios: RegExp | null
  readonly entries: Entries
}

/** What a later parse needs to go on from this tree; null where no parser left it. */
export function parsedOf(tree: OrgData): Parsed | null {
  return tree.memory as Parsed | null
}

/** Parses what an environment holds, with the radio targets it knows, and collects those it finds. */
export function parseTree(env: ParseEnv, settings: Settings, options: ParseOptions): OrgData {
  env.orphansUntil = -1
  env.radioTargets.clear()
  env.unclosed = { date: 0, diary: 0 }
  const root = new OrgData('org-data', startOfFile(), 0)
  root.preBlank = 0
  root.todoKeywords = [...env.todoKeywords]
  root.doneKeywords = [...env.doneKeywords]
  root.filetags = settings.filetags
  root.children = []
  const entries = readOutline(env, new Outline(root))
  const kept: Kept = { settings, radios: env.radios, entries }
  root.remember({ options, kept } satisfies Parsed)
  return root
}

function readOutline(env: ParseEnv, outline: Outline): Entries {
  const { count } = env.lines
  const entries = new Entries()
  let after = nextHeadline(env, 0)
  const top = new Origin(env.lines, 0, 0, entries.room())
  outline.fill(readBody(env, 0, after, entries.room()), env.origin)
  entries.push(top, env.origin)
  while (after < count) {
    const line = after
    after = nextHeadline(env, line + 1)
    const run = entries.room()
    outline.add(readHead(env, line, run))
    const head = env.origin
    outline.fill(readBody(env, line + 1, after, run), env.origin)
    entries.push(head, env.origin)
  }
  outline.finish()
  return entries
}

/** The first line from `line` on that is a headline, or the number of lines. */
export function nextHeadline(env: ParseEnv, line: number): number {
  const { count, marks } = env.lines
  let at = line
  while (at < count && (marks[at] !== 42 || headlineLevel(env, at) === 0)) at++
  return at
}

/** Reads the headline on a line, with an origin of its own. */
export function readHead(env: ParseEnv, line: number, run: Run): Headline {
  const { starts } = env.lines
  env.origin = new Origin(env.lines, starts[line]!, starts[line + 1]!, run)
  return parseHeadlineLine(env, line, headlineLevel(env, line))
}

/** Reads what is between two headlines, with an origin of its own; null when it is blank. */
export function readBody(env: ParseEnv, from: number, limit: number, run: Run): Section | null {
  const { starts } = env.lines
  env.origin = new Origin(env.lines, from === 0 ? 0 : starts[from]!, starts[limit]!, run)
  return parseSection(env, from, limit)
}

function parseSection(env: ParseEnv, from: number, limit: number): Section | null {
  const { lines } = env
  const first = skipBlankLines(env, from, limit)
  if (first === limit) return null
  const section = new Section('section', env.origin, lines.starts[first]!)
  section.endAt(lines.starts[limit]!, 0)
  section.contain(lines.starts[first]!, lines.starts[limit]!)
  section.children =
    from === 0
      ? topElements(env, first, limit)
      : elementsBelow(env, from, first, limit, env.isOutline ? noElements : parseElements)
  return section
}

function topElements(env: ParseEnv, first: number, limit: number): OrgElement[] {
  const comment = isComment(env, first) ? parseComment(env, first, limit) : null
  const line = comment === null ? first : lineAfter(env, comment.endOffset, limit)
  const drawer = parsePropertyDrawer(env, line, limit)
  const rest = parseElements(env, drawer?.after ?? line, limit)
  return inFront([comment, drawer?.node], rest)
}

function lineAfter(env: ParseEnv, offset: number, limit: number): number {
  return offset === env.lines.starts[limit] ? limit : env.lines.lineAt(offset)
}
