import { tagGap } from '../text/columns.ts'
import { isBlankCode } from '../text/lines.ts'
import type { Headline, OrgContent, OrgData } from '../tree/nodes.ts'
import { ancestors, headlines, walk } from '../tree/query.ts'
import type { Patch } from './edit.ts'
import { lineEnd, newlineOf } from './lines.ts'

/** True when `#+STARTUP: odd` is in force in this file. */
export function oddLevels(tree: OrgData): boolean {
  let odd = false
  walk(tree, (node) => {
    if (node.type !== 'keyword' || node.key !== 'STARTUP') return
    for (const word of node.value.toLowerCase().split(/\s+/)) {
      if (word === 'odd') odd = true
      else if (word === 'oddeven') odd = false
    }
  })
  return odd
}

/** The level `change` steps below a level (above it when negative); never less than 1. */
export function validLevel(odd: boolean, level: number, change: number): number {
  if (!odd) return Math.max(1, level + change)
  const from = change > 0 ? level - 1 : level
  return Math.max(1, 1 + 2 * Math.floor((from + 2 * change) / 2))
}

function levelPatches(text: string, begin: number, level: number, wanted: number): Patch[] {
  const grown = wanted - level
  const line = text.slice(begin, lineEnd(text, begin))
  const first = { begin, end: begin + Math.max(0, -grown), text: '*'.repeat(Math.max(0, grown)) }
  const gap = tagGap('*'.repeat(wanted) + line.slice(level))
  if (gap === null) return [first]
  const at = begin - grown
  return [first, { begin: at + gap.begin, end: at + gap.end, text: gap.text }]
}

/** Patches that take one headline a level up, as `org-do-promote`. Throws a RangeError at the top. */
export function promoteHeadline(text: string, tree: OrgData, headline: Headline): Patch[] {
  return changed(text, tree, [headline], -1)
}

/** Patches that take one headline a level down, as `org-do-demote`. */
export function demoteHeadline(text: string, tree: OrgData, headline: Headline): Patch[] {
  return changed(text, tree, [headline], 1)
}

/** Patches that promote a headline and all below it. Throws a RangeError at level 1. */
export function promoteSubtree(text: string, tree: OrgData, headline: Headline): Patch[] {
  return changed(text, tree, subtree(headline), -1)
}

/** Patches that demote a headline and all below it, as `org-demote-subtree`. */
export function demoteSubtree(text: string, tree: OrgData, headline: Headline): Patch[] {
  return changed(text, tree, subtree(headline), 1)
}

function changed(text: string, tree: OrgData, nodes: readonly Headline[], change: number): Patch[] {
  const odd = oddLevels(tree)
  return nodes.flatMap(({ level, position }) => {
    if (level === 1 && change < 0) throw new RangeError('A headline of level 1 has no level above')
    return levelPatches(text, position.start.offset, level, validLevel(odd, level, change))
  })
}

function subtree(headline: Headline): Headline[] {
  return [headline, ...headlines(headline)]
}

/** The headlines directly below a headline, or those of the file. */
export function children(parent: OrgData | Headline): Headline[] {
  return (parent.children as OrgContent[]).filter((node) => node.type === 'headline')
}

/** Patches that move a subtree past its neighbor. Throws a RangeError when there is none. */
export function moveSubtree(
  text: string,
  tree: OrgData,
  headline: Headline,
  direction: 'up' | 'down',
): Patch[] {
  const siblings = children(parentOf(tree, headline) ?? tree)
  const index = siblings.indexOf(headline)
  const other = siblings[direction === 'up' ? index - 1 : index + 1]
  if (other?.level !== headline.level) throw new RangeError(`No sibling to move ${direction} past`)
  const begin = headline.position.start.offset
  const end = headline.position.end.offset
  const moved = ended(text, text.slice(begin, end))
  const at = direction === 'up' ? other.position.start.offset : other.position.end.offset
  const lead = direction === 'up' ? '' : breakBefore(text, at)
  return [
    { begin, end, text: '' },
    { begin: at, end: at, text: lead + moved },
  ]
}

/** The headline around this one, or null at the top. */
export function parentOf(tree: OrgData, headline: Headline): Headline | null {
  return ancestors(tree, headline).at(-1) ?? null
}

/** The line break that is missing before this offset, or nothing. */
export function breakBefore(text: string, offset: number): string {
  return offset === 0 || text[offset - 1] === '\n' ? '' : newlineOf(text)
}

/** A part with the line break at its end that it may lack. */
export function ended(text: string, part: string): string {
  return part.endsWith('\n') ? part : part + newlineOf(text)
}

/** Where something goes; `under` null is the end of the file, at level 1. */
export type Place = { before: Headline } | { after: Headline } | { under: Headline | null }

/** The line of a new headline. */
export interface HeadlineRequest {
  title: string
  /** A keyword of this file. */
  todo?: string
  /** What stands in the cookie, such as A. */
  priority?: string
  tags?: readonly string[]
}

/** Patches that insert a headline, as `org-insert-heading-respect-content` and a title typed. */
export function insertHeadline(
  text: string,
  tree: OrgData,
  place: Place,
  request: HeadlineRequest,
): Patch[] {
  const { at, level, model } = placed(text, tree, place)
  const newline = newlineOf(text)
  const blank = model !== null && blankBefore(text, tree, model)
  const keep = blank && blankAbove(text, at)
  const lead = breakBefore(text, at) + (blank && !keep ? newline : '')
  const below = blank && /^\*+ /.test(text.slice(at, lineEnd(text, at))) ? newline : ''
  const line = headlineLine(tree, level, request) + newline
  return [...(keep ? [] : blankLines(text, at)), { begin: at, end: at, text: lead + line + below }]
}

function placed(text: string, tree: OrgData, place: Place) {
  if ('before' in place) {
    const { position, level } = place.before
    return { at: position.start.offset, level, model: place.before }
  }
  if ('after' in place) {
    const { position, level } = place.after
    return { at: position.end.offset, level, model: place.after }
  }
  const { under } = place
  if (under === null) return { at: text.length, level: 1, model: children(tree).at(-1) ?? null }
  const level = validLevel(oddLevels(tree), under.level, 1)
  return { at: under.position.end.offset, level, model: under }
}

function blankBefore(text: string, tree: OrgData, headline: Headline): boolean {
  const begin = headline.position.start.offset
  if (begin > 0) return blankAbove(text, begin)
  const all = headlines(tree)
  all.next()
  const second = all.next()
  if (second.done !== true) return blankAbove(text, second.value.position.start.offset)
  let end = text.length
  while (isBlankCode(text.charCodeAt(end - 1))) end--
  return text[end - 1] === '\n' && blankAbove(text, end)
}

/** True when the last line before this offset is there and blank. */
function blankAbove(text: string, offset: number): boolean {
  const end = text[offset - 1] === '\n' ? offset - 1 : offset
  return offset > 0 && text.slice(text.lastIndexOf('\n', end - 1) + 1, end).trim() === ''
}

function blankLines(text: string, offset: number): Patch[] {
  let last = offset
  while (last > 0 && ' \t\r\n'.includes(text[last - 1]!)) last--
  const begin = lineEnd(text, last)
  const end =
    text[offset - 1] === '\n' ? lineEnd(text, text.lastIndexOf('\n', offset - 2) + 1) : offset
  return begin < end ? [{ begin, end, text: '' }] : []
}

function headlineLine(tree: OrgData, level: number, request: HeadlineRequest): string {
  const { todo, priority, tags = [] } = request
  if (todo !== undefined && ![...tree.todoKeywords, ...tree.doneKeywords].includes(todo)) {
    throw new RangeError(`${todo} is no TODO keyword of this file`)
  }
  if (priority !== undefined && !/^(?:[A-Z]|[0-9]{1,2})$/.test(priority)) {
    throw new RangeError(`${priority} is no priority: one capital letter, or a number below 100`)
  }
  const bad = tags.find((tag) => !/^[\p{L}\p{N}_@#%]+$/u.test(tag))
  if (bad !== undefined) throw new RangeError(`${JSON.stringify(bad)} is no tag`)
  const title = request.title.replace(/\s+/g, ' ').trim()
  const cookie = priority === undefined ? '' : `[#${priority}] `
  const line = `${'*'.repeat(level)} ${todo === undefined ? '' : `${todo} `}${cookie}${title}`
  return tags.length === 0 ? line : aligned(`${line.trimEnd()} :${tags.join(':')}:`)
}

/** A headline's line with its tags where Emacs would put them. */
export function aligned(line: string): string {
  const gap = tagGap(line)
  return gap === null ? line : line.slice(0, gap.begin) + gap.text + line.slice(gap.end)
}

/** The patch that removes a headline and all below it, as `org-cut-subtree`. */
export function cutSubtree(text: string, headline: Headline): Patch[] {
  const { start, end } = headline.position
  return start.offset < Math.min(end.offset, text.length)
    ? [{ begin: start.offset, end: end.offset, text: '' }]
    : []
}

/** A subtree with all its headlines `change` levels deeper, tags in their columns. */
function shifted(subtreeText: string, change: number): string {
  if (change === 0) return subtreeText
  const lines = subtreeText.split('\n')
  return lines.map((line) => (/^\*+ /.test(line) ? shiftedLine(line, change) : line)).join('\n')
}

function shiftedLine(line: string, change: number): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length
  let result = line.slice(0, end)
  let left = Math.abs(change)
  for (let step = 0; left > 0; step++) {
    const count = step < 16 ? 1 : left
    result = aligned(change > 0 ? '*'.repeat(count) + result : result.slice(count))
    left -= count
  }
  return result + line.slice(end)
}

/** A subtree as written at a level, its last line ended. Throws a RangeError for other text. */
export function asPasted(subtreeText: string, level: number, newline: string): string {
  const stars = Array.from(subtreeText.matchAll(/(?<=^|\n)\*+(?= )/g), ([run]) => run.length)
  const first = /^(?:[ \t\n\r]*\n)?(\*+) /.exec(subtreeText)?.[1]?.length
  if (first === undefined || stars.some((count) => count < first)) {
    throw new RangeError('The text to paste is not a (set of) tree(s)')
  }
  const whole = subtreeText.endsWith('\n') ? subtreeText : subtreeText + newline
  return shifted(whole, level - first)
}

/** The text with these line breaks, for a file that has others. */
export function withBreaks(text: string, newline: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\n', newline)
}

/** The patch that inserts a subtree, as `org-paste-subtree`. Throws a RangeError for other text. */
export function pasteSubtree(
  text: string,
  tree: OrgData,
  place: Place,
  subtreeText: string,
  level?: number,
): Patch[] {
  const found = placed(text, tree, place)
  const newline = newlineOf(text)
  const pasted = asPasted(withBreaks(subtreeText, newline), level ?? found.level, newline)
  return [{ begin: found.at, end: found.at, text: breakBefore(text, found.at) + pasted }]
}
