import { parseEmphasis, parseLiteral } from './emphasis.ts'
import type { ParseEnv } from './env.ts'
import {
  parseCitation,
  parseEntity,
  parseExportSnippet,
  parseFootnoteReference,
  parseInlineCall,
  parseLatexFragment,
  parseLineBreak,
  parseMacro,
  parseScript,
  parseStatisticsCookie,
  parseTarget,
} from './inline.ts'
import { nextRadioLink, parseAngleLink, parseBracketLink, parsePlainLink } from './link.ts'
import type { OrgObject } from './nodes.ts'
import { parseTimestamp } from './timestamp.ts'

/** A node that holds objects. */
export type ObjectContainer =
  | 'paragraph'
  | 'verse-block'
  | 'headline'
  | 'item'
  | 'table-cell'
  | 'keyword'
  | 'link'
  | 'radio-target'
  | 'emphasis'
  | 'script'
  | 'footnote-reference'
  | 'citation'

const minimal = [
  'bold',
  'code',
  'entity',
  'italic',
  'latex-fragment',
  'strike-through',
  'subscript',
  'superscript',
  'underline',
  'verbatim',
]

const standard = [
  ...minimal,
  'citation',
  'export-snippet',
  'footnote-reference',
  'inline-babel-call',
  'inline-src-block',
  'line-break',
  'link',
  'macro',
  'radio-target',
  'statistics-cookie',
  'target',
  'timestamp',
]

function without(...names: string[]): ReadonlySet<string> {
  return new Set(standard.filter((name) => !names.includes(name)))
}

const restrictions: Record<ObjectContainer, ReadonlySet<string>> = {
  paragraph: without(),
  'verse-block': without(),
  emphasis: without(),
  script: without(),
  'footnote-reference': without(),
  headline: without('line-break'),
  item: without('line-break'),
  keyword: without('footnote-reference'),
  'table-cell': without('line-break', 'statistics-cookie', 'inline-babel-call', 'inline-src-block'),
  'radio-target': new Set(minimal),
  citation: new Set(minimal),
  link: new Set([
    ...minimal,
    'export-snippet',
    'inline-babel-call',
    'inline-src-block',
    'macro',
    'statistics-cookie',
  ]),
}

/** Objects nested deeper than this are text. */
export const objectDepthMax = 64

/** One range of text that is read for objects. */
export class Scan {
  readonly slice: string
  readonly base: number
  readonly env: ParseEnv
  readonly depth: number
  readonly allowed: ReadonlySet<string>
  readonly #missing = new Map<string, number>()

  constructor(slice: string, base: number, env: ParseEnv, kind: ObjectContainer, depth: number) {
    this.slice = slice
    this.base = base
    this.env = env
    this.depth = depth
    this.allowed = restrictions[kind]
  }

  /** The first `mark` at or after `from`, or -1; a mark once missing is not looked for again. */
  find(mark: string, from: number): number {
    const missing = this.#missing.get(mark)
    if (missing !== undefined && from >= missing) return -1
    const at = this.slice.indexOf(mark, from)
    if (at === -1) this.#missing.set(mark, from)
    return at
  }

  /** True when a search for `key` has failed at or before `from`. */
  failed(key: string, from: number): boolean {
    const missing = this.#missing.get(key)
    return missing !== undefined && from >= missing
  }

  /** Remembers that a search for `key` fails from an offset on. */
  fail(key: string, from: number): null {
    this.#missing.set(key, from)
    return null
  }

  /** The objects between two relative offsets, for a container of the given kind. */
  inside(begin: number, end: number, kind: ObjectContainer): OrgObject[] {
    const slice = this.slice.slice(begin, end)
    return scanObjects(new Scan(slice, this.base + begin, this.env, kind, this.depth + 1))
  }
}

/** A node without position, and the relative offsets where it begins and ends. */
export interface Found {
  begin: number
  end: number
  node: Record<string, unknown> & { type: OrgObject['type'] }
}

/**
 * The objects in `text` between two offsets, for a container of the given kind. Plain text
 * between objects is a node, so the result covers the range without gaps.
 */
export function parseObjects(
  text: string,
  begin: number,
  end: number,
  kind: ObjectContainer,
  env: ParseEnv,
): OrgObject[] {
  if (begin >= end) return []
  return scanObjects(new Scan(text.slice(begin, end), begin, env, kind, 0))
}

const triggers = new Uint8Array(128)
for (const mark of '*/_+=~[<\\${@^:') triggers[mark.charCodeAt(0)] = 1

function scanObjects(scan: Scan): OrgObject[] {
  const { slice } = scan
  const objects: OrgObject[] = []
  let plain = 0
  let at = 0
  let radio = scan.allowed.has('link') ? nextRadioLink(scan, 0) : null
  while (at < slice.length) {
    if (radio !== null && radio.begin < at) radio = nextRadioLink(scan, at)
    const code = slice.charCodeAt(at)
    if (radio?.begin !== at && (code > 127 || triggers[code] === 0)) {
      at++
      continue
    }
    const found =
      radio?.begin === at ? radio : scan.depth > objectDepthMax ? null : objectAt(scan, at, plain)
    if (found === null) {
      at++
      continue
    }
    if (found.begin > plain) objects.push(plainText(scan, plain, found.begin))
    at = withBlanks(slice, found)
    objects.push(finish(scan, found, at))
    plain = at
  }
  if (plain < slice.length) objects.push(plainText(scan, plain, slice.length))
  return objects
}

/** The end of an object with the white space after it; a line break has taken its own. */
function withBlanks(slice: string, found: Found): number {
  let at = found.end
  if (found.node.type === 'line-break') return at
  while (slice.charCodeAt(at) === 32 || slice.charCodeAt(at) === 9) at++
  return at
}

function plainText(scan: Scan, begin: number, end: number): OrgObject {
  const position = scan.env.lines.position(scan.base + begin, scan.base + end)
  return { type: 'plain-text', position, postBlank: 0, value: scan.slice.slice(begin, end) }
}

function finish(scan: Scan, found: Found, end: number): OrgObject {
  const { type, ...properties } = found.node
  const position = scan.env.lines.position(scan.base + found.begin, scan.base + end)
  return { type, position, postBlank: end - found.end, ...properties } as unknown as OrgObject
}

function objectAt(scan: Scan, at: number, plain: number): Found | null {
  const { slice, allowed } = scan
  const next = slice.charCodeAt(at + 1)
  switch (slice.charCodeAt(at)) {
    case 42: // *
      return parseEmphasis(scan, at, 'bold')
    case 47: // /
      return parseEmphasis(scan, at, 'italic')
    case 43: // +
      return parseEmphasis(scan, at, 'strike-through')
    case 61: // =
      return parseLiteral(scan, at, 'verbatim')
    case 126: // ~
      return parseLiteral(scan, at, 'code')
    case 95: // _
      return (
        parseInlineCall(scan, at, plain) ??
        parseEmphasis(scan, at, 'underline') ??
        parseScript(scan, at, 'subscript')
      )
    case 94: // ^
      return parseScript(scan, at, 'superscript')
    case 91: // [
      return squareAt(scan, at, next)
    case 60: // <
      if (next === 60) return parseTarget(scan, at)
      return stampAt(scan, at) ?? (allowed.has('link') ? parseAngleLink(scan, at) : null)
    case 92: // \
      if (next === 92) return parseLineBreak(scan, at)
      return parseEntity(scan, at) ?? parseLatexFragment(scan, at)
    case 36: // $
      return parseLatexFragment(scan, at)
    case 123: // {
      return next === 123 ? parseMacro(scan, at) : null
    case 64: // @
      return next === 64 ? parseExportSnippet(scan, at) : null
    default: // :
      return allowed.has('link') ? parsePlainLink(scan, at, plain) : null
  }
}

function squareAt(scan: Scan, at: number, next: number): Found | null {
  if (next === 91) return scan.allowed.has('link') ? parseBracketLink(scan, at) : null
  if (next === 102) return parseFootnoteReference(scan, at)
  if (next === 99) return parseCitation(scan, at)
  return stampAt(scan, at) ?? parseStatisticsCookie(scan, at)
}

function stampAt(scan: Scan, at: number): Found | null {
  if (!scan.allowed.has('timestamp')) return null
  const begin = scan.base + at
  const limit = scan.base + scan.slice.length
  const stamp = parseTimestamp(scan.env.text, begin, scan.env, limit)
  if (stamp === null) return null
  const { position: _position, postBlank: _postBlank, ...node } = stamp
  return { begin: at, end: at + stamp.rawValue.length, node }
}
