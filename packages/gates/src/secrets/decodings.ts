import { isUtf8 } from 'node:buffer'
import { rowsIn } from './entropy-runs.ts'

function isReadable(text: string): boolean {
  return text.length >= 8 && !/[^\t\n\r -~\u00A0-\u024F]/.test(text)
}

/** What base64 and hex in the text decode to, where that is text. */
export function decodedRuns(text: string): { begin: number; end: number; inside: string }[] {
  const runs: { begin: number; end: number; inside: string }[] = []
  const rows = rowsIn(text)
  for (const match of rows.base64 < 20 ? [] : text.matchAll(/[A-Za-z0-9+/_-]{20,}={0,2}/g)) {
    if (!/[A-Z]/.test(match[0]) || !/[a-z]/.test(match[0])) continue
    const bytes = Buffer.from(match[0], 'base64')
    const wide = bytes.length % 2 === 0 && bytes[1] === 0 ? bytes.toString('utf16le') : ''
    for (const inside of [bytes.toString('utf8'), wide]) {
      if (isReadable(inside)) runs.push(range(match, inside))
    }
  }
  const numbers = /(?:(?:\\x|0x|[ :,]{1,2})?[0-9A-Fa-f]{2}){16,}/g
  for (const match of rows.hex < 32 ? [] : text.matchAll(numbers)) {
    const digits = match[0].replace(/\\x|0x|[ :,]/g, '')
    const inside = Buffer.from(digits, 'hex').toString('utf8')
    if (isReadable(inside)) runs.push(range(match, inside))
  }
  for (const match of rows.base32 < 24 ? [] : text.matchAll(/[A-Z2-7]{24,}={0,6}/g)) {
    const inside = fromBase32(match[0])
    if (isReadable(inside)) runs.push(range(match, inside))
  }
  return runs
}

const base32Values = new Int8Array(128).fill(-1)
for (const [value, letter] of Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567').entries()) {
  base32Values[letter.charCodeAt(0)] = value
  base32Values[letter.toLowerCase().charCodeAt(0)] = value
}

/** What base32 of either case decodes to, as UTF-8; padding is passed over. */
export function fromBase32(text: string): string {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let length = 0
  let value = 0
  let bits = 0
  for (let at = 0; at < text.length; at++) {
    const five = base32Values[text.charCodeAt(at) & 127]!
    if (five === -1) continue
    value = ((value << 5) | five) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = (value >> bits) & 0xff
  }
  return Buffer.from(bytes.buffer, 0, length).toString('utf8')
}

function range(match: RegExpExecArray, inside: string) {
  return { begin: match.index, end: match.index + match[0].length, inside }
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/** A kind of escape: what gives it away, and the text without it. */
interface Escape {
  sign: RegExp
  undo: (text: string) => string
}

/** The escapes of addresses, of programs, of pages, and of mail. */
export const escapes: readonly Escape[] = [
  {
    sign: /%[\dA-Fa-fu]/,
    undo: (text) =>
      text
        .replace(/(?:%[\dA-Fa-f]{2})+/g, (run) => charsOf(run, '%', 16))
        .replace(/%u([\dA-Fa-f]{4})/g, (_, code: string) => charOf(parseInt(code, 16))),
  },
  {
    sign: /\\[uUx0-7nrt]/,
    undo: (text) =>
      text
        .replace(/\\u([\dA-Fa-f]{4})/g, (_, code: string) => charOf(parseInt(code, 16)))
        .replace(/\\u\{([\dA-Fa-f]{1,6})\}/g, (_, code: string) => charOf(parseInt(code, 16)))
        .replace(/\\U([\dA-Fa-f]{8})/g, (_, code: string) => charOf(parseInt(code, 16)))
        .replace(/(?:\\x[\dA-Fa-f]{2})+/g, (run) => charsOf(run, '\\x', 16))
        .replace(/(?:\\[0-3]?[0-7]{2})+/g, (run) => charsOf(run, '\\', 8))
        .replace(/\\([nrt])/g, '\n'),
  },
  {
    sign: /&(?:#[\dx]|amp;|lt;|gt;|quot;|apos;|nbsp;)/,
    undo: (text) =>
      text
        .replace(/&#x([\dA-Fa-f]{1,6});?/g, (_, code: string) => charOf(parseInt(code, 16)))
        .replace(/&#(\d{1,7});?/g, (_, code: string) => charOf(Number(code)))
        .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (_, name: string) => named[name]!),
  },
  {
    sign: /=(?:[\dA-F]{2}|\r?\n)/,
    undo: (text) =>
      text.replace(/=\r?\n/g, '').replace(/(?:=[\dA-F]{2})+/g, (run) => charsOf(run, '=', 16)),
  },
]

/** The text with all of these undone, up to three layers of them. */
export function unescaped(text: string): string {
  let current = text
  for (let layer = 0; layer < 3; layer++) {
    const next = escapes.reduce(
      (undone, { sign, undo }) => (sign.test(undone) ? undo(undone) : undone),
      current,
    )
    if (next === current) return current
    current = next
  }
  return current
}

/** The characters of a run of bytes: UTF-8 where it is that, else one for each byte. */
function charsOf(run: string, sign: string, base: number): string {
  const bytes = Buffer.from(
    run
      .split(sign)
      .slice(1)
      .map((digits) => parseInt(digits, base)),
  )
  return isUtf8(bytes) ? bytes.toString('utf8').replaceAll('\0', '') : bytes.toString('latin1')
}

function charOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

/** The text with its Latin letters moved by thirteen. */
export function rotated(text: string): string {
  const codes = new Uint16Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const place = (code | 32) - 97
    codes[at] = code > 127 || place < 0 || place > 25 ? code : code + (place < 13 ? 13 : -13)
  }
  return Buffer.from(codes.buffer).toString('utf16le')
}
