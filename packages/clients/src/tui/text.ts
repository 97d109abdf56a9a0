const joiners = /\u200d|[\ufe00-\ufe0f]|[\u{1f3fb}-\u{1f3ff}]|[\u{e0100}-\u{e01ef}]/gu
const invisible = /[\x7f-\x9f\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu

/** The text without anything that could drive a terminal; line feeds stay, a tab is four blanks. */
export function cleanText(text: string): string {
  const even = text.replace(/\r\n/g, '\n').replaceAll('\t', '    ')
  if (/^[\n\x20-\x7e]*$/.test(even)) return even
  return even
    .replace(joiners, '')
    .replace(/[\0-\x09\x0b-\x1f]/g, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
    .replace(invisible, '\ufffd')
    .replace(/(\p{M}{4})\p{M}+/gu, '$1')
}

/** The text with all that is invisible as escapes; for what somebody is asked to approve. */
export function revealed(text: string): string {
  const told = text
    .replace(/\r\n/g, '\n')
    .replace(
      /[\ufe00-\ufe0f]|[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu,
      (found) => (found === '\n' ? found : escapes(found)),
    )
  return cleanText(told)
}

function escapes(text: string): string {
  return Array.from({ length: text.length }, (_, at) => escapeOf(text.charCodeAt(at))).join('')
}

function escapeOf(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}

const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u3247\u3250-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const ascii = /^[\x20-\x7e]*$/

/** How many columns a clean text takes. */
export function columnsOf(text: string): number {
  if (ascii.test(text)) return text.length
  let columns = 0
  for (const char of text) columns += columnsOfChar(char)
  return columns
}

/** How many columns one code point takes: none, one or two. */
export function columnsOfChar(char: string): number {
  if (char >= ' ' && char <= '~') return 1
  if (/\p{M}|[\u1160-\u11ff]/u.test(char)) return 0
  if (/[\u{1f1e6}-\u{1f1ff}]/u.test(char)) return 1
  return wide.test(char) ? 2 : 1
}

/** The longest beginning of a clean text that fits into so many columns. */
export function cutTo(text: string, columns: number): string {
  if (text.length <= columns && ascii.test(text)) return text
  let left = columns
  let end = 0
  for (const char of text) {
    left -= columnsOfChar(char)
    if (left < 0) return text.slice(0, end)
    end += char.length
  }
  return text
}

/** What a span is; the palette knows how that looks. */
export type Tone =
  | 'plain'
  | 'muted'
  | 'accent'
  | 'strong'
  | 'emphasis'
  | 'heading'
  | 'link'
  | 'code'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'good'
  | 'bad'
  | 'warn'
  | 'chosen'
  | 'strike'

/** Text of one tone. */
export interface Span {
  text: string
  tone: Tone
}

/** A row of spans; its text is clean and has no line feed. */
export type Line = readonly Span[]

/** A span. */
export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone }
}

/** The text of a line. */
export function plainText(line: Line): string {
  return line.map(({ text }) => text).join('')
}

/** How many columns a line takes. */
export function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + columnsOf(text), 0)
}

/** The line in exactly so many columns. */
export function fitted(line: Line, columns: number): Line {
  const width = widthOf(line)
  if (width <= columns) {
    return width === columns ? line : [...line, span(' '.repeat(columns - width))]
  }
  const kept: Span[] = []
  let left = columns - 1
  for (const { text, tone } of line) {
    const part = cutTo(text, left)
    if (part !== '') kept.push(span(part, tone))
    left -= columnsOf(part)
    if (part !== text) break
  }
  return [...kept, span(columns > 0 ? '…' : '', 'muted'), span(' '.repeat(Math.max(0, left)))]
}

type Piece = { spans: Span[]; columns: number; blank: boolean }

function piecesOf(line: Line): Piece[] {
  const pieces: Piece[] = []
  for (const { text, tone } of line) {
    for (const part of text.split(/( +)/)) {
      if (part === '') continue
      const blank = part.startsWith(' ')
      const last = pieces.at(-1)
      if (last !== undefined && last.blank === blank) {
        last.spans.push(span(part, tone))
        last.columns += columnsOf(part)
      } else pieces.push({ spans: [span(part, tone)], columns: columnsOf(part), blank })
    }
  }
  return pieces
}

/** The line in rows of at most so many columns; at least one row. */
export function wrapLine(line: Line, width: number, hanging = 0): Line[] {
  const columns = Math.max(2, width)
  const indent = Math.min(hanging, columns - 2)
  const rows: Span[][] = [[]]
  let used = 0
  let pending: Piece | null = null
  const next = () => {
    rows.push(indent > 0 ? [span(' '.repeat(indent))] : [])
    used = indent
    pending = null
  }
  const put = ({ spans, columns }: Piece) => {
    rows.at(-1)!.push(...spans)
    used += columns
  }
  for (const piece of piecesOf(line)) {
    if (piece.blank) {
      if (used === 0 && rows.length === 1) put(cutPiece(piece, columns - 1))
      else pending = piece
      continue
    }
    const gap: Piece | null = pending
    const needed = piece.columns + (gap?.columns ?? 0)
    if (used + needed > columns && used > (rows.length === 1 ? 0 : indent)) next()
    else if (gap !== null) put(gap)
    pending = null
    for (const part of inParts(piece, columns - indent, () => columns - used)) {
      if (used + part.columns > columns) next()
      put(part)
    }
  }
  return rows.map(joined)
}

function joined(spans: readonly Span[]): Line {
  const row: Span[] = []
  for (const { text, tone } of spans) {
    const last = row.at(-1)
    if (last?.tone === tone) last.text += text
    else if (text !== '') row.push({ text, tone })
  }
  return row
}

function cutPiece(piece: Piece, columns: number): Piece {
  if (piece.columns <= columns) return piece
  return { ...piece, spans: [span(' '.repeat(columns))], columns }
}

function* inParts(piece: Piece, row: number, left: () => number): Generator<Piece> {
  if (piece.columns <= left()) {
    yield piece
    return
  }
  for (const { text, tone } of piece.spans) {
    let rest = text
    while (rest !== '') {
      const room = left() > 1 ? left() : row
      const part = cutTo(rest, room) || cutTo(rest, 2)
      if (part === '') break
      yield { spans: [span(part, tone)], columns: columnsOf(part), blank: false }
      rest = rest.slice(part.length)
    }
  }
}
