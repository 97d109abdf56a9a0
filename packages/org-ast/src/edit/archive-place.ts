import { parse } from '../parse/parse.ts'
import type { OrgData } from '../tree/nodes.ts'
import { ancestors, headlines } from '../tree/query.ts'
import { datetree, type Narrowed } from './datetree.ts'
import type { Patch } from './edit.ts'
import { lineEnd, newlineOf } from './lines.ts'
import { oddLevels, validLevel } from './outline.ts'

const headingTags = /^(?:[ \t]+(?::[\p{L}\p{M}\p{Nl}\p{Nd}_@#%]+)+:)?[ \t]*$/u

type Range = readonly [begin: number, end: number]

function headingIn(text: string, [low, high]: Range, heading: string) {
  const wanted = heading.toLowerCase()
  const level = /^\*+/.exec(heading)![0].length
  let begin: number | null = null
  for (let at = low; at < high; ) {
    const end = Math.min(lineEnd(text, at), high)
    const line = text.slice(at, end)
    const stars = /^(\*+) /.exec(line)?.[1]?.length ?? Infinity
    if (begin !== null && stars <= level) return { begin, end: at }
    const same = line.slice(0, heading.length).toLowerCase() === wanted
    if (begin === null && same && headingTags.test(line.slice(heading.length))) begin = at
    const next = text.indexOf('\n', end)
    at = next === -1 ? high : next + 1
  }
  return begin === null ? null : { begin, end: high }
}

interface Slot {
  begin: number
  end: number
  /** What comes before the subtree. */
  lead: string
  /** Where the headline stands that was found. */
  heading: number | null
}

function slotIn(text: string, range: Range, heading: string | null, dated: boolean): Slot {
  const newline = newlineOf(text)
  const [low, high] = range
  const atEnd = { begin: high, end: high, heading: null }
  const started = high === low || text[high - 1] === '\n'
  if (heading === null) return { ...atEnd, lead: dated && started ? '' : newline }
  const gap = dated ? newline : newline + newline
  const found = headingIn(text, range, heading)
  if (found === null) {
    const lead = (started ? '' : newline) + (dated ? '' : newline)
    return { ...atEnd, lead: lead + heading + gap }
  }
  let begin = found.end
  while (begin > low && ' \t\r\n'.includes(text[begin - 1]!)) begin--
  let end = begin
  while (end < high && ' \t\r\n'.includes(text[end]!)) end++
  return { begin, end, lead: gap, heading: found.begin }
}

/** A place for a subtree in an archive. */
interface ArchivePlace {
  /** The text with the date tree in it, and what was replaced for the tree. */
  text: string
  change: Narrowed['change']
  slot: Slot
  /** The level of the subtree there. */
  level: number
  /** Where the day begins, or null without a date tree. */
  day: number | null
}

/** The place that the second half of a location means, for the local day of `date`. */
export function placeIn(
  text: string,
  tree: OrgData,
  heading: string,
  odd: boolean,
  date: Date,
): ArchivePlace {
  const dated = /^datetree\/(\**)/.exec(heading)
  const oddThere = oddLevels(tree)
  if (dated === null) {
    const stars = /^\*+/.exec(heading)?.[0].length ?? 0
    const slot = slotIn(text, [0, text.length], stars === 0 ? null : heading, false)
    return { text, change: null, slot, level: validLevel(oddThere, stars, stars && 1), day: null }
  }
  const below = dated[1]!.length
  const stars = odd ? 5 + 2 * below : 3 + below
  const found = datetree(text, date, oddThere)
  const line = below === 0 ? null : '*'.repeat(stars) + heading.slice(dated[0].length)
  const slot = slotIn(found.text, [found.begin, found.end], line, true)
  const level = validLevel(oddThere, stars, 1)
  return { text: found.text, change: found.change, slot, level, day: found.begin }
}

/** The patch that writes a subtree, already at its level, to the place. */
export function placePatch(
  base: string,
  { text, change, slot }: ArchivePlace,
  pasted: string,
): Patch {
  const written = slot.lead + pasted
  if (change === null) return { begin: slot.begin, end: slot.end, text: written }
  const after = text.slice(0, slot.begin) + written + text.slice(slot.end)
  const rest = base.length - change.end
  return { ...change, text: after.slice(change.begin, after.length - rest) }
}

/** True when the place is in the subtree from `begin` to `end` of a text of this length. */
export function isInside(place: ArchivePlace, length: number, begin: number, end: number): boolean {
  const { text, slot, day, change } = place
  if (day === null) return slot.heading !== null && slot.heading >= begin && slot.heading < end
  const grown = change !== null && change.begin < begin ? text.length - length : 0
  const tree = parse(text)
  const found = [...headlines(tree)].find(({ position }) => position.start.offset === day)!
  const path = [...ancestors(tree, found), found]
  return path.some(({ position }) => position.start.offset === begin + grown)
}
