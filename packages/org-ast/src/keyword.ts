import type { Above, ParseEnv } from './env.ts'
import { affiliatedProperties, closeElement } from './env.ts'
import type { AffiliatedKeyword, BabelCall, Keyword } from './nodes.ts'

const affiliatedPattern =
  /^#\+(?:(caption|results|result)(?:\[(.*)\])?|(data|headers?|label|name|plot|resname|source|srcname|tblname|attr_[-_a-z0-9]+)):[ \t]*(.*?)[ \t\f]*$/i

const translations: ReadonlyMap<string, string> = new Map([
  ['DATA', 'NAME'],
  ['HEADERS', 'HEADER'],
  ['LABEL', 'NAME'],
  ['RESNAME', 'NAME'],
  ['RESULT', 'RESULTS'],
  ['SOURCE', 'NAME'],
  ['SRCNAME', 'NAME'],
  ['TBLNAME', 'NAME'],
])

/** The affiliated keywords that start at a line; `above.begin` is where the element begins. */
export function collectAffiliated(env: ParseEnv, line: number, limit: number): Above {
  const { lines } = env
  const begin = lines.starts[line]!
  if (line < env.orphansUntil) return { begin, affiliated: [] }
  const affiliated: AffiliatedKeyword[] = []
  let at = line
  for (; at < limit; at++) {
    const keyword = affiliatedAt(env, at)
    if (keyword === null) break
    affiliated.push(keyword)
  }
  const orphaned = at >= limit || lines.isBlank(at)
  if (orphaned && at > line) env.orphansUntil = at
  return { begin, affiliated: orphaned ? [] : affiliated }
}

function affiliatedAt(env: ParseEnv, line: number): AffiliatedKeyword | null {
  const { text, lines } = env
  const first = lines.first[line]!
  if (text.charCodeAt(first) !== 35 || text.charCodeAt(first + 1) !== 43) return null
  const match = affiliatedPattern.exec(text.slice(first, lines.ends[line]))
  if (match === null) return null
  const written = (match[1] ?? match[3]!).toUpperCase()
  return {
    key: translations.get(written) ?? written,
    value: match[4]!,
    dual: match[2] ?? null,
    line: line + 1,
  }
}

/** Parses a keyword line. */
export function parseKeyword(env: ParseEnv, above: Above, line: number, limit: number): Keyword {
  const { text, lines } = env
  const content = text.slice(lines.first[line]! + 2, lines.ends[line])
  const word = /^\S*/.exec(content)![0]
  const colon = word.lastIndexOf(':')
  return {
    type: 'keyword',
    ...closeElement(env, above.begin, line + 1, limit),
    ...affiliatedProperties(above, lines.starts[line]!),
    key: content.slice(0, colon).toUpperCase(),
    value: content.slice(colon + 1).trim(),
  }
}

const callPattern = /^([^()[\]\n]+?)(?:\[([^\]\n]*)\])?(?:\((.*?)\))?(?:\[([^\]\n]*)\])?$/

/** Parses a `#+call:` line. */
export function parseBabelCall(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
): BabelCall {
  const { text, lines } = env
  const value = text.slice(lines.first[line]! + '#+call:'.length, lines.ends[line]).trim()
  const match = callPattern.exec(value)
  return {
    type: 'babel-call',
    ...closeElement(env, above.begin, line + 1, limit),
    ...affiliatedProperties(above, lines.starts[line]!),
    value,
    call: match?.[1] ?? null,
    insideHeader: match?.[2] || null,
    arguments: match?.[3] || null,
    endHeader: match?.[4] || null,
  }
}
