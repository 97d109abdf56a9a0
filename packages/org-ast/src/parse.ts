import { parsePropertyDrawer } from './blocks.ts'
import { parseElements } from './elements.ts'
import { createEnv, type ParseEnv, skipBlankLines } from './env.ts'
import { headlineLevel, parseHeadlineLine } from './headline.ts'
import { radioPattern } from './link.ts'
import type { Headline, OrgData, OrgElement, Section } from './nodes.ts'
import { parsePlanning } from './planning.ts'
import { walk } from './query.ts'
import { readSettings } from './settings.ts'

/** How to parse. */
export interface ParseOptions {
  /** Another engine, which gets the text and these options; by default the one of this package. */
  engine?: Engine
  /** TODO keywords for a file that declares none; by default TODO and DONE. */
  todoKeywords?: { todo: readonly string[]; done: readonly string[] }
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
  const settings = readSettings(env, options.todoKeywords)
  Object.assign(env, settings.env)
  const tree = parseTree(env, settings.filetags)
  if (!text.includes('<<<')) return tree
  env.radioPattern = radioPattern(radioTargets(tree))
  return env.radioPattern === null ? tree : parseTree(env, settings.filetags)
}

function radioTargets(tree: OrgData): string[] {
  const targets: string[] = []
  walk(tree, (node) => {
    if (node.type === 'radio-target') targets.push(node.value)
  })
  return targets
}

function parseTree(env: ParseEnv, filetags: string[]): OrgData {
  const { lines, text } = env
  env.orphansUntil = -1
  const root: OrgData = {
    type: 'org-data',
    position: lines.position(0, text.length),
    postBlank: 0,
    contentsBegin: text.length === 0 ? null : 0,
    contentsEnd: text.length === 0 ? null : text.length,
    todoKeywords: [...env.todoKeywords],
    doneKeywords: [...env.doneKeywords],
    filetags,
    children: [],
  }
  readOutline(env, root)
  return root
}

function readOutline(env: ParseEnv, root: OrgData): void {
  const { lines } = env
  const open: Headline[] = []
  let line = 0
  let after = nextHeadline(env, 0)
  const preamble = parseSection(env, 0, after, false)
  if (preamble !== null) root.children.push(preamble)
  while (after < lines.count) {
    line = after
    after = nextHeadline(env, line + 1)
    const headline = parseHeadlineLine(env, line)
    while (open.length > 0 && open.at(-1)!.level >= headline.level) {
      finishHeadline(env, open.pop()!, line)
    }
    const parent = open.at(-1) ?? root
    parent.children.push(headline)
    open.push(headline)
    const section = parseSection(env, line + 1, after, true)
    if (section !== null) headline.children.push(section)
    headline.preBlank = skipBlankLines(env, line + 1, after) - line - 1
  }
  while (open.length > 0) finishHeadline(env, open.pop()!, lines.count)
}

/** The first line from `line` on that is a headline, or the number of lines. */
function nextHeadline(env: ParseEnv, line: number): number {
  const { lines } = env
  let at = line
  while (at < lines.count && headlineLevel(env, at) === 0) at++
  return at
}

function finishHeadline(env: ParseEnv, headline: Headline, after: number): void {
  const { lines } = env
  const line = headline.position.start.line - 1
  headline.position.end = lines.point(lines.starts[after]!)
  const child = headline.children[0]
  if (child === undefined) {
    headline.postBlank = after - line - 1
    headline.preBlank = 0
    return
  }
  headline.contentsBegin = child.position.start.offset
  headline.contentsEnd = lines.starts[after]!
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
  const children: OrgElement[] = []
  let line = first
  if (underHeadline && first === from) {
    const planning = parsePlanning(env, line, limit)
    if (planning !== null) {
      children.push(planning)
      line++
    }
  }
  const drawerAllowed = underHeadline ? line === from + children.length : true
  const blankAfterPlanning = children.length > 0 && children[0]!.postBlank > 0
  if (drawerAllowed && !blankAfterPlanning) {
    const drawer = parsePropertyDrawer(env, line, limit)
    if (drawer !== null) {
      children.push(drawer)
      line = drawer.position.end.line - 1
      if (drawer.position.end.offset === lines.starts[limit]) line = limit
    }
  }
  for (const element of parseElements(env, line, limit)) children.push(element)
  const begin = lines.starts[first]!
  return {
    type: 'section',
    position: lines.position(begin, lines.starts[limit]!),
    postBlank: 0,
    contentsBegin: begin,
    contentsEnd: lines.starts[limit]!,
    children,
  }
}
