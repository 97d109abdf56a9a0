import type { ParseEnv } from '../parse/env.ts'
import { flags } from '../text/characters.ts'
import { skipBlanks } from '../text/lines.ts'
import { OrgContainer, OrgNode, type OrgObject, PlainText } from '../tree/nodes.ts'
import { parseCitation } from './citation.ts'
import { parseEmphasis, parseLiteral } from './emphasis.ts'
import { parseEntity } from './entity.ts'
import { parseExportSnippet } from './export-snippet.ts'
import { parseFootnoteReference } from './footnote-reference.ts'
import { parseInlineBabelCall } from './inline-babel-call.ts'
import { parseInlineSrcBlock } from './inline-src-block.ts'
import { parseLatexFragment } from './latex-fragment.ts'
import { parseLineBreak } from './line-break.ts'
import { parseAngleLink, parseBracketLink, parsePlainLink } from './link.ts'
import { parseMacro } from './macro.ts'
import { nextRadioLink, parseRadioTarget } from './radio.ts'
import { parseScript } from './script.ts'
import { parseStatisticsCookie } from './statistics-cookie.ts'
import { parseTarget } from './target.ts'
import { parseTimestamp } from './timestamp.ts'

const citation = 1
const exportSnippet = 1 << 1
const footnoteReference = 1 << 2
const inlineBabelCall = 1 << 3
const inlineSrcBlock = 1 << 4
const lineBreak = 1 << 5
const link = 1 << 6
const macro = 1 << 7
const radioTarget = 1 << 8
const statisticsCookie = 1 << 9
const target = 1 << 10
const timestamp = 1 << 11

const standard = (1 << 12) - 1

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
  headline: standard & ~lineBreak,
  item: standard & ~lineBreak,
  keyword: standard & ~footnoteReference,
  'table-cell': standard & ~(lineBreak | statisticsCookie | inlineBabelCall | inlineSrcBlock),
  'radio-target': 0,
  citation: standard & ~(citation | footnoteReference | lineBreak | link),
  link: exportSnippet | inlineBabelCall | inlineSrcBlock | macro | statisticsCookie,
}

/** Objects nested deeper than this are text. */
const objectDepthMax = 64

/** One range of text that is read for objects. */
export class Scan {
  readonly env: ParseEnv
  readonly text: string
  readonly begin: number
  readonly end: number
  readonly depth: number
  readonly allowed: number
  #slice: string | null = null
  #known: Map<string | RegExp, { from: number; at: number }> | null = null
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

  /** The first `mark` (a global pattern) at or after `from`, or -1; no place is looked at twice. */
  find(mark: string | RegExp, from: number): number {
    const known = this.#known?.get(mark)
    if (known !== undefined && from >= known.from && (known.at === -1 || from <= known.at)) {
      return known.at
    }
    const index =
      typeof mark === 'string'
        ? this.slice.indexOf(mark, from - this.begin)
        : (this.match(mark, from)?.index ?? -1)
    const at = index === -1 ? -1 : index + this.begin
    this.#remember(mark, from, at)
    return at
  }

  /** What a sticky pattern matches at an offset, within the range; or null. */
  match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at - this.begin
    return pattern.exec(this.slice)
  }

  /** True when a search for `key` has failed at or before `from`. */
  failed(key: string, from: number): boolean {
    const known = this.#known?.get(key)
    return known !== undefined && from >= known.from
  }

  /** Remembers that a search for `key` fails from an offset on. */
  fail(key: string, from: number): void {
    this.#remember(key, from, -1)
  }

  #remember(key: string | RegExp, from: number, at: number): void {
    this.#known ??= new Map()
    this.#known.set(key, { from, at })
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

/** An object in which nothing else can stand. */
export function leaf<Type extends OrgObject['type']>(
  scan: Scan,
  type: Type,
  begin: number,
  end: number,
): Extract<OrgObject, { type: Type }> {
  return new OrgNode(type, scan.env.origin, begin, end) as Extract<OrgObject, { type: Type }>
}

/** An object that may have others inside. */
export function container<Type extends OrgObject['type']>(
  scan: Scan,
  type: Type,
  begin: number,
  end: number,
): Extract<OrgObject, { type: Type }> {
  return new OrgContainer(type, scan.env.origin, begin, end) as Extract<OrgObject, { type: Type }>
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
  const first = env.radios === null ? nextTrigger(env.text, begin, end) : begin
  if (first === end) return [plainText(env, begin, end)]
  return scanObjects(new Scan(env, begin, end, kind, 0), first)
}

const triggers = flags('*/_+=~[<\\${@^:', 0x10000)

function nextTrigger(text: string, from: number, end: number): number {
  let at = from
  while (at < end && triggers[text.charCodeAt(at)] === 0) at++
  return at
}

function scanObjects(scan: Scan, first: number): OrgObject[] {
  const { env, text, end } = scan
  if (scan.depth > objectDepthMax) return [plainText(env, scan.begin, end)]
  if (env.radios !== null && (scan.allowed & link) !== 0) {
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
  switch (text[at]) {
    case '$':
    case ':':
      return 1
    case '{':
      return 3
    case '[': {
      const after = /^\[(?:cite.|fn:|%\]|\/\d*\])/i.exec(text.slice(at, at + 20))
      return after === null ? 2 : after[0].length
    }
    case '<':
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
  const at = skipBlanks(text, end, scan.end)
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
      return underscoreAt(scan, at, plain)
    case 94: // ^
      return parseScript(scan, at, 'superscript')
    case 91: // [
      return squareAt(scan, at)
    case 60: // <
      return angleAt(scan, at)
    case 92: // \
      return backslashAt(scan, at)
    case 36: // $
      return parseLatexFragment(scan, at)
    case 123: // {
      return allowed & macro ? parseMacro(scan, at) : null
    case 64: // @
      return allowed & exportSnippet ? parseExportSnippet(scan, at) : null
    case 58: // :
      return allowed & link ? parsePlainLink(scan, at, plain) : null
    default:
      return null
  }
}

function underscoreAt(scan: Scan, at: number, plain: number): OrgObject | null {
  const { allowed } = scan
  return (
    (allowed & inlineSrcBlock ? parseInlineSrcBlock(scan, at, plain) : null) ??
    (allowed & inlineBabelCall ? parseInlineBabelCall(scan, at, plain) : null) ??
    parseEmphasis(scan, at, 'underline') ??
    parseScript(scan, at, 'subscript')
  )
}

function squareAt(scan: Scan, at: number): OrgObject | null {
  const { allowed, env } = scan
  switch (scan.text[at + 1]) {
    case '[':
      return allowed & link ? parseBracketLink(scan, at) : null
    case 'f':
      return allowed & footnoteReference ? parseFootnoteReference(scan, at) : null
    case 'c':
      return allowed & citation ? parseCitation(scan, at) : null
    default:
      return (
        (allowed & timestamp ? parseTimestamp(env, at, scan.end) : null) ??
        (allowed & statisticsCookie ? parseStatisticsCookie(scan, at) : null)
      )
  }
}

function angleAt(scan: Scan, at: number): OrgObject | null {
  const { allowed, env } = scan
  if (scan.text[at + 1] === '<') {
    return (
      (allowed & radioTarget ? parseRadioTarget(scan, at) : null) ??
      (allowed & target ? parseTarget(scan, at) : null)
    )
  }
  return (
    (allowed & timestamp ? parseTimestamp(env, at, scan.end) : null) ??
    (allowed & link ? parseAngleLink(scan, at) : null)
  )
}

function backslashAt(scan: Scan, at: number): OrgObject | null {
  if (scan.text[at + 1] === '\\') {
    return scan.allowed & lineBreak ? parseLineBreak(scan, at) : null
  }
  return parseEntity(scan, at) ?? parseLatexFragment(scan, at)
}
