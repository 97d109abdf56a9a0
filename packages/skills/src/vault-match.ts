import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { unescaped } from './secret-content.ts'

/** The text in lower case, with everything but letters and digits left out. */
export function bare(text: string): string {
  if (text.length > shortMax) return bareByLetter(text)
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase().replace(/[^a-z0-9]+/g, '')
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

const shortMax = 1_000

const keeps = new Uint8Array(1 << 16)

function isKept(code: number): boolean {
  const known = keeps[code]
  if (known !== 0) return known === 1
  const is = /[\p{L}\p{N}]/u.test(String.fromCharCode(code))
  keeps[code] = is ? 1 : 2
  return is
}

function bareByLetter(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase()
  const codes = new Uint16Array(plain.length)
  let length = 0
  for (let index = 0; index < plain.length; index++) {
    const code = plain.charCodeAt(index)
    const point = code >= 0xd800 && code < 0xdc00 ? plain.codePointAt(index)! : code
    if (point > 0xffff) {
      if (/[\p{L}\p{N}]/u.test(String.fromCodePoint(point))) {
        codes[length++] = code
        codes[length++] = plain.charCodeAt(index + 1)
      }
      index++
    } else if (isKept(code)) codes[length++] = code
  }
  return Buffer.from(codes.buffer, 0, length * 2).toString('utf16le')
}

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The encodings of the bytes at each offset within a group, without what depends on neighbours. */
function aligned(bytes: Uint8Array, alphabet: string, bitsEach: number, group: number): string[] {
  return Array.from({ length: group }, (_, offset) => {
    const first = Math.ceil((offset * 8) / bitsEach) * bitsEach - offset * 8
    const letters: string[] = []
    for (let bit = first; bit + bitsEach <= bytes.length * 8; bit += bitsEach) {
      letters.push(alphabet[bitsAt(bytes, bit, bitsEach)]!)
    }
    return letters.join('')
  })
}

function bitsAt(bytes: Uint8Array, bit: number, count: number): number {
  let value = 0
  for (let at = bit; at < bit + count; at++) {
    value = (value << 1) | ((bytes[at >> 3]! >> (7 - (at & 7))) & 1)
  }
  return value
}

function numbered(bytes: Uint8Array): string[] {
  const all = (write: (byte: number) => string) => [...bytes].map(write).join('')
  const hex = (byte: number) => byte.toString(16).padStart(2, '0')
  return [
    all(hex),
    all((byte) => `x${hex(byte)}`),
    all((byte) => `0x${hex(byte)}`),
    all((byte) => `u00${hex(byte)}`),
    all((byte) => String(byte)),
    all((byte) => String(byte).padStart(3, '0')),
    all((byte) => byte.toString(8).padStart(3, '0')),
    all((byte) => byte.toString(2).padStart(8, '0')),
    all((byte) => byte.toString(2)),
  ]
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

function rotated(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

function encodings(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8')
  return [
    text,
    rotated(text),
    ...aligned(bytes, base64, 6, 3),
    ...aligned(Buffer.from(text, 'utf16le'), base64, 6, 3),
    ...aligned(bytes, base32, 5, 5),
    ...numbered(bytes),
  ]
}

function formsOf(value: string): Set<string> {
  const once = [...encodings(value), ...encodings(reversed(value))]
  const twice = [
    ...aligned(Buffer.from(value), base64, 6, 3).flatMap((form) => encodings(form)),
    ...encodings(Buffer.from(value).toString('hex')),
    ...encodings(Buffer.from(value).toString('base64')),
  ]
  const forms = [...once, ...twice].map(bare)
  const all = [...forms, ...forms.map(reversed), ...piecesOf(bare(value))]
  return new Set(all.filter((form) => form.length >= lengthMin))
}

function piecesOf(plain: string): string[] {
  if (plain.length < 32) return []
  const starts = Array.from({ length: Math.floor(plain.length / 16) - 1 }, (_, i) => (i + 1) * 16)
  return starts
    .map((at) => plain.slice(at, at + 16))
    .filter((piece) => !/privatekey|begin/.test(piece))
}

/** A value shorter than this many letters and digits is not recognised. */
export const lengthMin = 8

interface Fingerprint {
  name: string
  length: number
  whole: number
  digest: string
}

const base = randomInt(1 << 20, 1 << 30) | 1
const key = randomBytes(32)

let leading = 1
for (let count = 0; count < lengthMin; count++) leading = Math.imul(leading, base)

function hashOf(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) {
    hash = (Math.imul(hash, base) + text.charCodeAt(index)) | 0
  }
  return hash
}

function digestOf(text: string): string {
  return createHmac('sha256', key).update(text).digest('base64')
}

class Fingerprints {
  readonly #byBeginning = new Map<number, Fingerprint[]>()
  readonly #bits = new Uint8Array(1 << 16)

  add(name: string, value: string): void {
    for (const form of formsOf(value)) {
      const beginning = hashOf(form.slice(0, lengthMin))
      const print = { name, length: form.length, whole: hashOf(form), digest: digestOf(form) }
      this.#byBeginning.set(beginning, [...(this.#byBeginning.get(beginning) ?? []), print])
      this.#bits[beginning >>> 16] = 1
    }
  }

  namesIn(text: string, found: Set<string>): void {
    let hash = 0
    let sums: Sums | null = null
    for (let end = 0; end < text.length; end++) {
      hash = (Math.imul(hash, base) + text.charCodeAt(end)) | 0
      if (end >= lengthMin) hash = (hash - Math.imul(leading, text.charCodeAt(end - lengthMin))) | 0
      if (end < lengthMin - 1 || this.#bits[hash >>> 16] === 0) continue
      for (const print of this.#byBeginning.get(hash) ?? []) {
        if (found.has(print.name)) continue
        sums ??= sumsOf(text)
        const begin = end - lengthMin + 1
        if (sums.hash(begin, print.length) !== print.whole) continue
        if (digestOf(text.slice(begin, begin + print.length)) === print.digest)
          found.add(print.name)
      }
    }
  }
}

interface Sums {
  hash(begin: number, length: number): number
}

function sumsOf(text: string): Sums {
  const upTo = new Int32Array(text.length + 1)
  const powers = new Int32Array(text.length + 1)
  powers[0] = 1
  for (let index = 0; index < text.length; index++) {
    upTo[index + 1] = (Math.imul(upTo[index]!, base) + text.charCodeAt(index)) | 0
    powers[index + 1] = Math.imul(powers[index]!, base)
  }
  return {
    hash(begin, length) {
      if (begin + length > text.length) return Number.NaN
      return (upTo[begin + length]! - Math.imul(upTo[begin]!, powers[length]!)) | 0
    },
  }
}

/** Says which entries of the vault a text holds, in any form. Pure and total; knows no value. */
export interface VaultMatcher {
  /** The names of the entries whose value is in the text. */
  namesIn(text: string): string[]
  /** How many characters of a text can be a value of which the last is missing, in the usual forms. */
  reach(): number
}

const reachMax = 4_000
const perLetter = 3

/** A matcher for these values, by name. */
export function matcherFor(values: ReadonlyMap<string, string>): VaultMatcher {
  const prints = new Fingerprints()
  for (const [name, value] of values) prints.add(name, value)
  const names = [...values.keys()]
  const longest = Math.max(0, ...[...values.values()].map((value) => value.length))
  return Object.freeze({
    reach: () => Math.min(perLetter * longest, reachMax),
    namesIn(text: string) {
      if (names.length === 0 || text === '') return []
      const found = new Set<string>()
      prints.namesIn(bare(text), found)
      const plain = unescaped(text)
      if (plain !== text) prints.namesIn(bare(plain), found)
      return names.filter((name) => found.has(name))
    },
  })
}
