import { parse } from '../parse/parse.ts'
import { isBlankCode } from '../text/lines.ts'
import { headlines, property } from '../tree/query.ts'
import { newlineOf } from './lines.ts'

/** A text, and the range of one subtree in it. */
export interface Narrowed {
  text: string
  begin: number
  end: number
  /** The stretch of the original text that was replaced, or null when nothing was. */
  change: { begin: number; end: number } | null
}

const months =
  'January February March April May June July August September October November December'
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'

/** The text with a headline for the local day of `date`, and the range of the day's subtree. */
export function datetree(text: string, date: Date, odd: boolean): Narrowed {
  const year = String(date.getFullYear()).padStart(4, '0')
  const month = `${year}-${String(date.getMonth() + 1).padStart(2, '0')}`
  const day = `${month}-${String(date.getDate()).padStart(2, '0')}`
  const titles: [string, RegExp][] = [
    [year, /([12]\d{3})/],
    [`${month} ${months.split(' ')[date.getMonth()]}`, /([12]\d{3}-[01]\d) [\p{L}\p{N}]+/u],
    [`${day} ${days.split(' ')[date.getDay()]}`, /([12]\d{3}-[01]\d-[0-3]\d) [\p{L}\p{N}]+/u],
  ]
  const base = [...headlines(parse(text))].find((node) => property(node, 'DATE_TREE') !== null)
  let at: Narrowed = { text, begin: 0, end: text.length, change: null }
  if (base !== undefined) at = narrowed(at, base.position.start.offset, base.level)
  let level = base === undefined ? 1 : base.level + 1
  for (const [title, pattern] of titles) {
    at = subheading(at, title, pattern, odd ? 2 * level - 1 : level)
    level++
  }
  return at
}

function subheading(at: Narrowed, title: string, pattern: RegExp, stars: number): Narrowed {
  const wanted = pattern.exec(title)![1]!
  const dateOf = (other: string) => pattern.exec(other)?.[1] ?? ''
  const part = parse(at.text.slice(at.begin, at.end))
  const next = [...headlines(part)].find(
    (node) => node.level === stars && dateOf(node.rawValue) >= wanted,
  )
  const place = next === undefined ? at.end : at.begin + next.position.start.offset
  if (next !== undefined && dateOf(next.rawValue) === wanted) return narrowed(at, place, stars)
  return inserted(at, place, `${'*'.repeat(stars)} ${title}`, stars)
}

function inserted(at: Narrowed, place: number, line: string, stars: number): Narrowed {
  let from = place
  while (from > at.begin && ' \t\r\n'.includes(at.text[from - 1]!)) from--
  const newline = newlineOf(at.text)
  const before = at.text.slice(0, from)
  const glued = before + at.text.slice(place)
  const blank = blankBefore(glued.slice(at.begin, at.end - place + from), from - at.begin)
  const lead = blank ? newline + newline : newline
  const text = before + lead + line + newline + at.text.slice(place)
  const end = at.end + text.length - at.text.length
  const change = at.change ?? { begin: from, end: place }
  return narrowed({ text, begin: at.begin, end, change }, from + lead.length, stars)
}

function blankBefore(part: string, place: number): boolean {
  const starts = Array.from(part.matchAll(/(?<=^|\n)\*+ /g), ({ index }) => index)
  const own = starts.findLast((start) => start <= place) ?? starts[0]
  if (own === undefined) return false
  if (own > 0) return blankAbove(part, own)
  if (starts.length > 1) return blankAbove(part, starts[1]!)
  let last = part.length
  while (isBlankCode(part.charCodeAt(last - 1))) last--
  return part[last - 1] === '\n' && blankAbove(part, last)
}

function blankAbove(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf('\n', offset - 2) + 1, offset - 1).trim() === ''
}

function narrowed(at: Narrowed, begin: number, stars: number): Narrowed {
  const pattern = /\r?\n(\*+)(?= )/g
  pattern.lastIndex = begin
  for (let match = pattern.exec(at.text); match !== null; match = pattern.exec(at.text)) {
    if (match.index >= at.end) break
    if (match[1]!.length <= stars) return { ...at, begin, end: match.index }
  }
  return { ...at, begin }
}
