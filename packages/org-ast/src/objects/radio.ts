import { alnumClass } from '../text/characters.ts'
import type { Link, RadioTarget } from '../tree/object-nodes.ts'
import { container, type Scan } from './scan.ts'

const targetPattern = /<<<([^<>\n \t]|[^<>\n \t][^<>\n]*[^<>\n \t])>>>/y

/** Parses `<<<radio target>>>`. */
export function parseRadioTarget(scan: Scan, at: number): RadioTarget | null {
  if (scan.text[at + 2] !== '<' || scan.find('>>>', at + 4) === -1) return null
  const match = scan.match(targetPattern, at)
  if (match === null) return null
  const end = at + match[0].length
  const target = container(scan, 'radio-target', at, end)
  target.contain(at + 3, end - 3)
  target.value = match[1]!
  target.children = scan.inside(at + 3, end - 3, 'radio-target')
  scan.env.radioTargets.add(match[1]!)
  return target
}

const radioTargetsMax = 256
const breakable = '\\u2e80-\\u312f\\u3190-\\u9fd5\\uf900-\\ufaff\\uff01-\\uff9f'

/** A pattern for mentions of these radio targets, or null when there are none. */
export function radioPattern(targets: ReadonlySet<string>): RegExp | null {
  const unique = [...targets].slice(0, radioTargetsMax)
  if (unique.length === 0) return null
  const longestFirst = unique.sort((one, other) => other.length - one.length)
  const patterns = longestFirst.map((target) => escapePattern(target).replace(/ +/g, '\\s+'))
  const before = `(?<=^|[^${alnumClass}]|[${breakable}])`
  const after = `(?=$|[^${alnumClass}]|[${breakable}])`
  return new RegExp(`${before}(?:${patterns.join('|')})${after}`, 'gimu')
}

/** A pattern, for the `u` flag, that matches a text literally. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A mention of a radio target, not yet read. */
interface Mention {
  begin: number
  parse(): Link
}

/** The first mention of a radio target at or after an offset, or null. */
export function nextRadioLink(scan: Scan, from: number): Mention | null {
  const pattern = scan.env.radios
  if (pattern === null) return null
  pattern.lastIndex = from - scan.begin
  const match = pattern.exec(scan.slice)
  if (match === null) return null
  const begin = scan.begin + match.index
  return { begin, parse: () => radioLink(scan, begin, begin + match[0].length, match[0]) }
}

function radioLink(scan: Scan, begin: number, end: number, text: string): Link {
  const link = container(scan, 'link', begin, end)
  link.contain(begin, end)
  link.format = 'plain'
  link.rawLink = text
  link.typeExplicitP = false
  link.linkType = 'radio'
  link.path = text
  link.searchOption = null
  link.application = null
  link.children = scan.inside(begin, end, 'link')
  return link
}
