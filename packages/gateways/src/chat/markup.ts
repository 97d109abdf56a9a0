import type { Span } from './gateway.ts'

/** A text and how parts of it look. */
export interface Styled {
  text: string
  spans: Span[]
}

type Kind = Span['kind']

const before = String.raw`(?<=^|[\s"'(\[{—-])`
const after = String.raw`(?=$|[\s"'.,;:!?)\]}—-])`
const mark = (sign: string, not = sign) =>
  String.raw`${before}${sign}(?=\S)([^${not}\n]*[^${not}\s])${sign}${after}`

const marks: readonly { kind: Kind; pattern: RegExp }[] = [
  { kind: 'link', pattern: /\[\[([^\][\n]+)\](?:\[([^\]\n]+)\])?\]/y },
  { kind: 'code', pattern: new RegExp(mark('='), 'y') },
  { kind: 'code', pattern: new RegExp(mark('~'), 'y') },
  { kind: 'code', pattern: /`([^`\n]+)`/y },
  { kind: 'bold', pattern: new RegExp(mark(String.raw`\*\*`, '*'), 'y') },
  { kind: 'bold', pattern: new RegExp(mark(String.raw`\*`, '*'), 'y') },
  { kind: 'italic', pattern: new RegExp(mark('/'), 'y') },
  { kind: 'underline', pattern: new RegExp(mark('_'), 'y') },
  { kind: 'strike', pattern: new RegExp(mark(String.raw`\+`, '+'), 'y') },
]

const lineMax = 4_000
const looksLikeAddress = /:\/\/|\b(?:www\.|[\w-]+\.(?:com|org|net|io|me|de)\b)/i

function inline(line: string, offset: number, into: Span[]): string {
  if (line.length > lineMax || !/[[=~`*/_+]/.test(line)) return line
  let shown = ''
  let at = 0
  while (at < line.length) {
    const found = markAt(line, at)
    if (found === null) {
      shown += line[at]
      at++
      continue
    }
    const { kind, length, text, value } = found
    if (kind !== null && text !== '') {
      const span: Span = { kind, offset: offset + shown.length, length: text.length }
      into.push(value === undefined ? span : { ...span, value })
    }
    shown += text
    at += length
  }
  return shown
}

interface Found {
  /** null for words that only lose their marks. */
  kind: Kind | null
  text: string
  length: number
  value?: string
}

function markAt(line: string, at: number): Found | null {
  if (!'[=~`*/_+'.includes(line.charAt(at))) return null
  for (const { kind, pattern } of marks) {
    pattern.lastIndex = at
    const match = pattern.exec(line)
    if (match === null) continue
    const [whole, first = '', words] = match
    if (kind !== 'link') return { kind, text: first, length: whole.length }
    return { ...linkShown(first, words), length: whole.length }
  }
  return null
}

function linkShown(target: string, words: string | undefined): Omit<Found, 'length'> {
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null
  if (url === null || url.username !== '') return { kind: null, text: words ?? target }
  if (words === undefined || looksLikeAddress.test(words)) return { kind: null, text: url.href }
  return { kind: 'link', text: words, value: url.href }
}

const fence = /^\s*(?:#\+begin_(src|example|quote|verse|export)\b\s*(\S*)|(```+|~~~+)\s*(\w*))/i
const heading = /^(?:\*+|#{1,6})\s+(.*?)(?:\s+:[\w@#%:]+:)?\s*$/
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const control = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/** An answer as plain text with spans. */
export function styled(org: string): Styled {
  const lines = org
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(bidi, '')
    .replace(control, '')
    .split('\n')
  const spans: Span[] = []
  let text = ''
  let block: { begin: number; closes: RegExp; language: string | null } | null = null
  const add = (line: string) => {
    text += text === '' ? line : `\n${line}`
  }
  for (const line of lines) {
    if (block !== null) {
      if (!block.closes.test(line)) add(line)
      else {
        if (block.language !== null) spans.push(...spanOf(text, block.begin, block.language))
        block = null
      }
      continue
    }
    const open = fence.exec(line)
    if (open !== null) block = { begin: text.length, ...blockOf(open) }
    else if (!/^\s*:(?:PROPERTIES|END|ID|CUSTOM_ID):/i.test(line)) add(lineShown(line, text, spans))
  }
  if (block !== null && block.language !== null)
    spans.push(...spanOf(text, block.begin, block.language))
  return { text, spans }
}

function blockOf([, kind = '', language = '', ticks, of = '']: RegExpExecArray) {
  if (ticks !== undefined)
    return { closes: new RegExp(`^\\s*${ticks}\\s*$`), language: of.toLowerCase() }
  const isCode = /^(?:src|example|export)$/i.test(kind)
  const closes = new RegExp(`^\\s*#\\+end_${kind}\\s*$`, 'i')
  return { closes, language: isCode ? language.toLowerCase().replace(/\W/g, '') : null }
}

function spanOf(text: string, begin: number, language: string): Span[] {
  const offset = begin === 0 ? 0 : begin + 1
  const length = text.length - offset
  if (length <= 0) return []
  return [{ kind: 'pre', offset, length, ...(language === '' ? {} : { value: language }) }]
}

function lineShown(line: string, text: string, spans: Span[]): string {
  const offset = text === '' ? 0 : text.length + 1
  const title = heading.exec(line)
  if (title === null) return inline(line.replace(/^(\s*)[-+](?=\s)/, '$1•'), offset, spans)
  const shown = inline(title[1]!, offset, spans)
  if (shown !== '') spans.push({ kind: 'bold', offset, length: shown.length })
  return shown
}

const cuts = [/\n\n+/g, /\n/g, /[.!?…][)"'”’]?\s+/g, /\s+/g]

function cutIn(text: string, max: number): number {
  const window = text.slice(0, max)
  for (const pattern of cuts) {
    const found = [...window.matchAll(pattern)].at(-1)
    if (found !== undefined && found.index > max * (2 / 3)) return found.index + found[0].length
  }
  const near = text.slice(Math.max(0, max - 200), max + 200)
  const base = Math.max(0, max - 200)
  const edges = [...new Intl.Segmenter('en').segment(near)].map(({ index }) => base + index)
  const edge = edges.findLast((each) => each <= max && each > base) ?? max
  const code = text.charCodeAt(edge)
  return code >= 0xdc00 && code <= 0xdfff ? edge - 1 : edge
}

/** The same in pieces of at most `max` UTF-16 units, none of them empty. */
export function pieces({ text, spans }: Styled, max: number): Styled[] {
  const made: Styled[] = []
  let begin = 0
  while (begin < text.length) {
    const rest = text.slice(begin)
    const end = rest.length <= max ? text.length : begin + Math.max(1, cutIn(rest, max))
    const whole = text.slice(begin, end)
    const shown = whole.trimEnd()
    if (shown.trim() !== '') made.push({ text: shown, spans: within(spans, begin, shown.length) })
    begin = end
  }
  return made
}

function within(spans: readonly Span[], begin: number, length: number): Span[] {
  return spans.flatMap((span) => {
    const from = Math.max(span.offset - begin, 0)
    const to = Math.min(span.offset + span.length - begin, length)
    return to > from ? [{ ...span, offset: from, length: to - from }] : []
  })
}

/** The same with a line before it. */
export function withLine(line: string, { text, spans }: Styled): Styled {
  const shift = line.length + 1
  return {
    text: `${line}\n${text}`,
    spans: spans.map((span) => ({ ...span, offset: span.offset + shift })),
  }
}
