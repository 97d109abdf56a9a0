import { type Above, bare, type ParseEnv } from '../environment/env.ts'
import { parseObjects } from '../objects/objects.ts'
import { trim } from '../text/characters.ts'
import { lineText, skipBlanksBack } from '../text/lines.ts'
import { OrgNode } from '../tree/base-node.ts'
import { AffiliatedKeyword } from '../tree/lesser-elements.ts'
import { isClockLine } from './clock.ts'
import { isComment } from './comment.ts'
import { countStars } from './headline.ts'

const pattern =
  /^#\+(?:(caption|results)(?:\[(.*)\])?|(data|headers?|label|name|plot|resname|result|source|srcname|tblname|attr_[-_a-z0-9]+)):[ \t]*/is

const translations: Readonly<Record<string, string>> = {
  DATA: 'NAME',
  HEADERS: 'HEADER',
  LABEL: 'NAME',
  RESNAME: 'NAME',
  RESULT: 'RESULTS',
  SOURCE: 'NAME',
  SRCNAME: 'NAME',
  TBLNAME: 'NAME',
}

/** The affiliated keywords that start at a line; `above.begin` is where the element begins. */
export function collectAffiliated(env: ParseEnv, line: number, limit: number): Above {
  const { lines } = env
  const begin = lines.starts[line]!
  if (line < env.orphansUntil) return bare(begin)
  let at = line
  while (at < limit && isAffiliated(env, at)) at++
  if (at === line) return bare(begin)
  if (at >= limit || !mayHaveKeywords(env, at)) {
    env.orphansUntil = at
    return bare(begin)
  }
  const affiliated: AffiliatedKeyword[] = []
  for (let own = line; own < at; own++) affiliated.push(readKeyword(env, own))
  return { begin, affiliated }
}

function mayHaveKeywords(env: ParseEnv, line: number): boolean {
  if (env.lines.isBlank(line) || isComment(env, line) || isClockLine(env, line)) return false
  return countStars(env, line) === 0
}

/** True for a line that can belong to the element below it. */
export function isAffiliated(env: ParseEnv, line: number): boolean {
  const { text, lines } = env
  const first = lines.first[line]!
  if (lines.marks[line] !== 35 || text[first + 1] !== '+') return false
  if (!'acdhlnprst'.includes(text.charAt(first + 2).toLowerCase())) return false
  return pattern.test(lineText(lines, line))
}

function readKeyword(env: ParseEnv, line: number): AffiliatedKeyword {
  const { text, lines } = env
  const first = lines.first[line]!
  const end = lines.ends[line]!
  const match = pattern.exec(text.slice(first, end))!
  const written = (match[1] ?? match[3]!).toUpperCase()
  const key = translations[written] ?? written
  const valueBegin = first + match[0].length
  const value = trim(text.slice(valueBegin, end))
  const dual = match[2] ?? null
  const place = new OrgNode('keyword', env.origin, lines.starts[line]!, lines.starts[line + 1])
  const keyword = new AffiliatedKeyword(place, key, value, dual)
  if (key !== 'CAPTION') return keyword
  keyword.children = parseObjects(env, valueBegin, skipBlanksBack(text, end, valueBegin), 'keyword')
  const dualBegin = first + '#+caption['.length
  if (dual !== null) {
    keyword.dualChildren = parseObjects(env, dualBegin, dualBegin + dual.length, 'keyword')
  }
  return keyword
}
