import type { ParseEnv } from '../environment/env.ts'
import { flags } from '../text/characters.ts'
import { skipBlanks } from '../text/lines.ts'
import { type OrgObject, PlainText } from '../tree/object-nodes.ts'
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
import type { ObjectContainer } from './restrictions.ts'
import * as may from './restrictions.ts'
import { Scan } from './scan.ts'
import { parseScript } from './script.ts'
import { parseStatisticsCookie } from './statistics-cookie.ts'
import { parseTarget } from './target.ts'
import { parseTimestamp } from './timestamp.ts'

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
  return scanObjects(new Scan(env, begin, end, kind, 0, scanObjects), first)
}

/** Objects nested deeper than this are text. */
const objectDepthMax = 64

const triggers = flags('*/_+=~[<\\${@^:', 0x10000)

function nextTrigger(text: string, from: number, end: number): number {
  let at = from
  while (at < end && triggers[text.charCodeAt(at)] === 0) at++
  return at
}

function scanObjects(scan: Scan, first: number): OrgObject[] {
  const { env, text, end } = scan
  if (scan.depth > objectDepthMax) return [plainText(env, scan.begin, end)]
  if (env.radios !== null && (scan.allowed & may.link) !== 0) {
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
      return allowed & may.macro ? parseMacro(scan, at) : null
    case 64: // @
      return allowed & may.exportSnippet ? parseExportSnippet(scan, at) : null
    case 58: // :
      return allowed & may.link ? parsePlainLink(scan, at, plain) : null
    default:
      return null
  }
}

function underscoreAt(scan: Scan, at: number, plain: number): OrgObject | null {
  const { allowed } = scan
  return (
    (allowed & may.inlineSrcBlock ? parseInlineSrcBlock(scan, at, plain) : null) ??
    (allowed & may.inlineBabelCall ? parseInlineBabelCall(scan, at, plain) : null) ??
    parseEmphasis(scan, at, 'underline') ??
    parseScript(scan, at, 'subscript')
  )
}

function squareAt(scan: Scan, at: number): OrgObject | null {
  const { allowed, env } = scan
  switch (scan.text[at + 1]) {
    case '[':
      return allowed & may.link ? parseBracketLink(scan, at) : null
    case 'f':
      return allowed & may.footnoteReference ? parseFootnoteReference(scan, at) : null
    case 'c':
      return allowed & may.citation ? parseCitation(scan, at) : null
    default:
      return (
        (allowed & may.timestamp ? parseTimestamp(env, at, scan.end) : null) ??
        (allowed & may.statisticsCookie ? parseStatisticsCookie(scan, at) : null)
      )
  }
}

function angleAt(scan: Scan, at: number): OrgObject | null {
  const { allowed, env } = scan
  if (scan.text[at + 1] === '<') {
    return (
      (allowed & may.radioTarget ? parseRadioTarget(scan, at) : null) ??
      (allowed & may.target ? parseTarget(scan, at) : null)
    )
  }
  return (
    (allowed & may.timestamp ? parseTimestamp(env, at, scan.end) : null) ??
    (allowed & may.link ? parseAngleLink(scan, at) : null)
  )
}

function backslashAt(scan: Scan, at: number): OrgObject | null {
  if (scan.text[at + 1] === '\\') {
    return scan.allowed & may.lineBreak ? parseLineBreak(scan, at) : null
  }
  return parseEntity(scan, at) ?? parseLatexFragment(scan, at)
}
