import { alnumClass, notWordClass } from '../text/characters.ts'
import type { Citation, CitationReference, OrgObject } from '../tree/object-nodes.ts'
import { container, leaf, type Scan } from './scan.ts'

const headPattern = new RegExp(`\\[cite(?:/([-/_${alnumClass}]+))?:[\\t\\n ]*`, 'iuy')

/** Parses `[cite/style:prefix @key suffix; …]`. */
export function parseCitation(scan: Scan, at: number): Citation | null {
  const head = scan.match(headPattern, at)
  if (head === null) return null
  const close = scan.partner(at, '[', ']')
  const start = at + head[0].length
  const firstKey = close === -1 ? null : keyIn(scan, start, close)
  if (firstKey === null) return null
  const citation = container(scan, 'citation', at, close + 1)
  citation.style = head[1] ?? null
  const before = lastSemicolon(scan, start, firstKey.end)
  citation.prefix = objectsOrNull(scan, start, before)
  const end = trimmed(scan, start, close)
  const after = lastSemicolon(scan, firstKey.end, end)
  const hasSuffix = after !== -1 && keyIn(scan, after, end) === null
  citation.suffix = hasSuffix ? objectsOrNull(scan, after + 1, end) : null
  const contentsBegin = before === -1 ? start : before + 1
  const contentsEnd = hasSuffix ? after + 1 : end
  citation.contain(contentsBegin, contentsEnd)
  citation.children = parseReferences(scan, contentsBegin, contentsEnd)
  return citation
}

const keyClass = `[-!#-+./:<>-@^-\`{-~]|[^${notWordClass}]`
const keyPattern = new RegExp(`@((?:${keyClass})+)`, 'u')

interface Key {
  begin: number
  end: number
  name: string
}

function keyIn(scan: Scan, begin: number, end: number): Key | null {
  const match = keyPattern.exec(scan.text.slice(begin, end))
  if (match === null) return null
  const at = begin + match.index
  return { begin: at, end: at + match[0].length, name: match[1]! }
}

function lastSemicolon(scan: Scan, begin: number, end: number): number {
  if (end <= begin) return -1
  const at = scan.text.slice(begin, end).lastIndexOf(';')
  return at === -1 ? -1 : begin + at
}

function trimmed(scan: Scan, begin: number, end: number): number {
  let at = end
  while (at > begin && /[ \t\r\n]/.test(scan.text[at - 1]!)) at--
  return at
}

function parseReferences(scan: Scan, begin: number, end: number): CitationReference[] {
  const references: CitationReference[] = []
  let at = begin
  for (let key = keyIn(scan, at, end); key !== null; key = keyIn(scan, at, end)) {
    const semicolon = scan.text.slice(key.end, end).indexOf(';')
    const stop = semicolon === -1 ? end : key.end + semicolon
    const next = semicolon === -1 ? end : stop + 1
    const reference = leaf(scan, 'citation-reference', at, next)
    reference.key = key.name
    reference.prefix = objectsOrNull(scan, at, key.begin)
    reference.suffix = objectsOrNull(scan, key.end, stop)
    references.push(reference)
    at = next
  }
  return references
}

function objectsOrNull(scan: Scan, begin: number, end: number): OrgObject[] | null {
  if (begin >= end) return null
  const { radioTargets } = scan.env
  scan.env.radioTargets = new Set()
  const objects = scan.inside(begin, end, 'citation')
  scan.env.radioTargets = radioTargets
  return objects
}
