import { parseCitation } from './citation.ts'
import { parseEmphasis, parseLiteral } from './emphasis.ts'
import { parseEntity } from './entity.ts'
import type { ParseEnv } from './env.ts'
import { parseExportSnippet } from './export-snippet.ts'
import { parseFootnoteReference } from './footnote-reference.ts'
import { parseInlineBabelCall } from './inline-babel-call.ts'
import { parseInlineSrcBlock } from './inline-src-block.ts'
import { parseLatexFragment } from './latex-fragment.ts'
import { parseLineBreak } from './line-break.ts'
import { parseAngleLink, parseBracketLink, parsePlainLink } from './link.ts'
import { parseMacro } from './macro.ts'
import { type OrgObject, PlainText } from './nodes.ts'
import { nextRadioLink, parseRadioTarget } from './radio.ts'
import { parseScript } from './script.ts'
import { parseStatisticsCookie } from './statistics-cookie.ts'
import { parseTarget } from './target.ts'
import { parseTimestamp } from './timestamp.ts'

const bits = {
  bold: 1,
  code: 1 << 1,
  entity: 1 << 2,
  italic: 1 << 3,
  latexFragment: 1 << 4,
  strikeThrough: 1 << 5,
  subscript: 1 << 6,
  superscript: 1 << 7,
  underline: 1 << 8,
  verbatim: 1 << 9,
  citation: 1 << 10,
  exportSnippet: 1 << 11,
  footnoteReference: 1 << 12,
  inlineBabelCall: 1 << 13,
  inlineSrcBlock: 1 << 14,
  lineBreak: 1 << 15,
  link: 1 << 16,
  macro: 1 << 17,
  radioTarget: 1 << 18,
  statisticsCookie: 1 << 19,
  target: 1 << 20,
  timestamp: 1 << 21,
} as const

const standard = (1 << 22) - 1
const minimal = (1 << 10) - 1

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

const restrictions: Record<ObjectContainer, number> = {
  paragraph: standard,
  'verse-block': standard,
  emphasis: standard,
  script: standard,
  'footnote-reference': standard,
  headline: standard & ~bits.lineBreak,
  item: standard & ~bits.lineBreak,
  keyword: standard & ~bits.footnoteReference,
  'table-cell':
    standard &
    ~(bits.lineBreak | bits.statisticsCookie | bits.inlineBabelCall | bits.inlineSrcBlock),
  'radio-target': minimal,
  citation: standard & ~(bits.citation | bits.footnoteReference | bits.lineBreak | bits.link),
  link:
    minimal |
    bits.exportSnippet |
    bits.inlineBabelCall |
    bits.inlineSrcBlock |
    bits.macro |
    bits.statisticsCookie,
}

/** Objects nested deeper than this are text. */
export const objectDepthMax = 64

/** One range of text that is read for objects. */
export class Scan {
  readonly env: ParseEnv
  readonly text: string
  readonly begin: number
  readonly end: number
  readonly depth: number
  readonly allowed: number
  #slice: string | null = null
  #missing: Map<string, number> | null = null
  #pairs: Map<string, Map<number, number>> | null = null

  constructor(env: ParseEnv, begin: number, end: number, kind: ObjectContainer, depth: number) {
    this.env = env
    this.text = env.text
    this.begin = begin
    this.end = end
    this.depth = depth
    this.allowed = restrictions[kind]
  }

  /** The text of the range. */
  get slice(): string {
    this.#slice ??= this.text.slice(this.begin, this.end)
    return this.#slice
  }

  /** The first `mark` at or after `from`, or -1; a mark once missing is not looked for again. */
  find(mark: string, from: number): number {
    if (this.failed(mark, from)) return -1
    const at = this.slice.indexOf(mark, from - this.begin)
    if (at === -1) this.fail(mark, from)
    return at === -1 ? -1 : at + this.begin
  }

  /** What a sticky pattern matches at an offset, within the range; or null. */
  match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at - this.begin
    return pattern.exec(this.slice)
  }

  /** True when a search for `key` has failed at or before `from`. */
  failed(key: string, from: number): boolean {
    const missing = this.#missing?.get(key)
    return missing !== undefined && from >= missing
  }

  /** Remembers that a search for `key` fails from an offset on. */
  fail(key: string, from: number): void {
    this.#missing ??= new Map()
    this.#missing.set(key, from)
  }

  /** The offset of the bracket that closes the one at `at`, or -1. */
  partner(at: number, open: string, close: string): number {
    this.#pairs ??= new Map()
    let pairs = this.#pairs.get(open)
    if (pairs === undefined) {
      pairs = pairBrackets(this, open.charCodeAt(0), close.charCodeAt(0))
      this.#pairs.set(open, pairs)
    }
    return pairs.get(at) ?? -1
  }

  /**
   * The objects between two offsets, for a container of the given kind; `pair` is the bracket that
   * opens in front of them when the one that closes behind them is its partner.
   */
  inside(begin: number, end: number, kind: ObjectContainer, pair?: string): OrgObject[] {
    if (begin >= end) return []
    const scan = new Scan(this.env, begin, end, kind, this.depth + 1)
    const known = pair === undefined ? undefined : this.#pairs?.get(pair)
    if (known !== undefined) scan.#pairs = new Map([[pair!, known]])
    return scanObjects(scan, begin)
  }
}

function pairBrackets(scan: Scan, open: number, close: number): Map<number, number> {
  const pairs = new Map<number, number>()
  const stack: number[] = []
  for (let at = scan.begin; at < scan.end; at++) {
    const code = scan.text.charCodeAt(at)
    if (code === open) stack.push(at)
    else if (code === close && stack.length > 0) pairs.set(stack.pop()!, at)
  }
  return pairs
}

/**
 * The objects between two offsets, for a container of the given kind. Plain text between objects
 * is a node, so the result covers the range without gaps.
 */
export function parseObjects(
  env: ParseEnv,
  begin: number,
  end: number,
  kind: ObjectContainer,
): OrgObject[] {
  if (begin >= end) return []
  const first = env.radioPattern === null ? nextTrigger(env.text, begin, end) : begin
  if (first === end) return [plainText(env, begin, end)]
  return scanObjects(new Scan(env, begin, end, kind, 0), first)
}

const triggers = new Uint8Array(0x10000)
for (const mark of '*/_+=~[<\\${@^:') triggers[mark.charCodeAt(0)] = 1

function nextTrigger(text: string, from: number, end: number): number {
  let at = from
  while (at < end && triggers[text.charCodeAt(at)] === 0) at++
  return at
}

function scanObjects(scan: Scan, first: number): OrgObject[] {
  const { env, text, end } = scan
  if (scan.depth > objectDepthMax) return [plainText(env, scan.begin, end)]
  if (env.radioPattern !== null && (scan.allowed & bits.link) !== 0) {
    return scanWithRadioLinks(scan)
  }
  const objects: OrgObject[] = []
  let plain = scan.begin
  let at = nextTrigger(text, first, end)
  while (at < end) {
    const found = objectAt(scan, at, plain)
    if (found === null) at++
    else {
      if (found.startOffset > plain) objects.push(plainText(env, plain, found.startOffset))
      at = withBlanks(scan, found)
      objects.push(found)
      plain = at
    }
    at = nextTrigger(text, at, end)
  }
  if (plain < end) objects.push(plainText(env, plain, end))
  return objects.slice()
}

function scanWithRadioLinks(scan: Scan): OrgObject[] {
  const objects: OrgObject[] = []
  let plain = scan.begin
  let at = plain
  let radio = nextRadioLink(scan, at)
  while (at < scan.end) {
    if (radio !== null && radio.begin < at) radio = nextRadioLink(scan, at)
    const free = radio === null || at + reach(scan, at) <= radio.begin + 1
    const found =
      (free ? objectAt(scan, at, plain) : null) ?? (radio?.begin === at ? radio.parse() : null)
    if (found === null) {
      at++
      continue
    }
    if (found.startOffset > plain) objects.push(plainText(scan.env, plain, found.startOffset))
    at = withBlanks(scan, found)
    objects.push(found)
    plain = at
  }
  if (plain < scan.end) objects.push(plainText(scan.env, plain, scan.end))
  return objects
}

/** How many characters Emacs looks at before it tries to read an object. */
function reach(scan: Scan, at: number): number {
  const { text } = scan
  switch (text.charCodeAt(at)) {
    case 36: // $
      return 1
    case 58: // :
      return 1
    case 123: // {
      return 3
    case 91: {
      const after = /^\[(?:cite.|fn:|%\]|\/\d*\])/i.exec(text.slice(at, at + 20))
      return after === null ? 2 : after[0].length
    }
    case 60:
      return Math.max(2, /^<(?:%%|[a-z+]+)?/i.exec(text.slice(at, at + 20))![0].length)
    default:
      return 2
  }
}

/** Gives an object the white space after it, and returns where the next one may begin. */
function withBlanks(scan: Scan, object: OrgObject): number {
  const end = object.endOffset
  if (object.type === 'line-break') return end
  const { text } = scan
  let at = end
  while (at < scan.end && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++
  if (at > end) object.endAt(at, at - end)
  return at
}

function plainText(env: ParseEnv, begin: number, end: number): PlainText {
  const node = new PlainText('plain-text', env.origin, begin, end)
  node.value = env.text.slice(begin, end)
  return node
}

function objectAt(scan: Scan, at: number, plain: number): OrgObject | null {
  const { text, allowed } = scan
  switch (text.charCodeAt(at)) {
    case 42: // *
      return allowed & bits.bold ? parseEmphasis(scan, at, 'bold') : null
    case 47: // /
      return allowed & bits.italic ? parseEmphasis(scan, at, 'italic') : null
    case 43: // +
      return allowed & bits.strikeThrough ? parseEmphasis(scan, at, 'strike-through') : null
    case 61: // =
      return allowed & bits.verbatim ? parseLiteral(scan, at, 'verbatim') : null
    case 126: // ~
      return allowed & bits.code ? parseLiteral(scan, at, 'code') : null
    case 95: // _
      return underscoreAt(scan, at, plain)
    case 94: // ^
      return allowed & bits.superscript ? parseScript(scan, at, 'superscript') : null
    case 91: // [
      return squareAt(scan, at)
    case 60: // <
      return angleAt(scan, at)
    case 92: // \
      return backslashAt(scan, at)
    case 36: // $
      return allowed & bits.latexFragment ? parseLatexFragment(scan, at) : null
    case 123: // {
      return allowed & bits.macro ? parseMacro(scan, at) : null
    case 64: // @
      return allowed & bits.exportSnippet ? parseExportSnippet(scan, at) : null
    case 58: // :
      return allowed & bits.link ? parsePlainLink(scan, at, plain) : null
    default:
      return null
  }
}

function underscoreAt(scan: Scan, at: number, plain: number): OrgObject | null {
  const { allowed } = scan
  return (
    (allowed & bits.inlineSrcBlock ? parseInlineSrcBlock(scan, at, plain) : null) ??
    (allowed & bits.inlineBabelCall ? parseInlineBabelCall(scan, at, plain) : null) ??
    (allowed & bits.underline ? parseEmphasis(scan, at, 'underline') : null) ??
    (allowed & bits.subscript ? parseScript(scan, at, 'subscript') : null)
  )
}

function squareAt(scan: Scan, at: number): OrgObject | null {
  const { allowed, env } = scan
  switch (scan.text.charCodeAt(at + 1)) {
    case 91: // [
      return allowed & bits.link ? parseBracketLink(scan, at) : null
    case 102: // f
      return allowed & bits.footnoteReference ? parseFootnoteReference(scan, at) : null
    case 99: // c
      return allowed & bits.citation ? parseCitation(scan, at) : null
    default:
      return (
        (allowed & bits.timestamp ? parseTimestamp(env, at, scan.end) : null) ??
        (allowed & bits.statisticsCookie ? parseStatisticsCookie(scan, at) : null)
      )
  }
}

function angleAt(scan: Scan, at: number): OrgObject | null {
  const { allowed, env } = scan
  if (scan.text.charCodeAt(at + 1) === 60) {
    return (
      (allowed & bits.radioTarget ? parseRadioTarget(scan, at) : null) ??
      (allowed & bits.target ? parseTarget(scan, at) : null)
    )
  }
  return (
    (allowed & bits.timestamp ? parseTimestamp(env, at, scan.end) : null) ??
    (allowed & bits.link ? parseAngleLink(scan, at) : null)
  )
}

function backslashAt(scan: Scan, at: number): OrgObject | null {
  const { allowed } = scan
  if (scan.text.charCodeAt(at + 1) === 92) {
    return allowed & bits.lineBreak ? parseLineBreak(scan, at) : null
  }
  return (
    (allowed & bits.entity ? parseEntity(scan, at) : null) ??
    (allowed & bits.latexFragment ? parseLatexFragment(scan, at) : null)
  )
}
