import { createHmac, randomBytes, randomInt } from 'node:crypto'
import type { Action } from '@passepartout/core'
import { recombinedOf, wholeTextOf } from '../actions/effects.ts'
import { asLatin, skeleton, skeletonUnit, skeletonUnits } from './confusables.ts'
import { escapes, fromBase32, rotated, unescaped } from './decodings.ts'
import { rowsIn } from './entropy-runs.ts'

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const base32Hex = '0123456789ABCDEFGHIJKLMNOPQRSTUV'
const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const uuencoded = Array.from({ length: 64 }, (_, code) => String.fromCharCode(32 + code)).join('')

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
    all((byte) => `u${hex(byte)}`),
    all((byte) => String(byte)),
    all((byte) => `chr${byte}`),
    all((byte) => String(byte).padStart(3, '0')),
    all((byte) => byte.toString(8).padStart(3, '0')),
    all((byte) => byte.toString(2).padStart(8, '0')),
    all((byte) => byte.toString(2)),
  ]
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

function encodings(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8')
  const wide = Buffer.from(text, 'utf16le')
  const inner = aligned(bytes, base64, 6, 3)
  return [
    text,
    rotated(text),
    text.toUpperCase(),
    text.normalize('NFC').replace(/[äöüÄÖÜ]/g, (letter) => `${letter.normalize('NFD')[0]}e`),
    text.replace(/[!-~]/g, (char) => String.fromCharCode(33 + ((char.charCodeAt(0) + 14) % 94))),
    ...inner,
    ...inner.flatMap((once) => aligned(Buffer.from(once), base64, 6, 3)),
    ...aligned(wide, base64, 6, 3),
    ...aligned(Buffer.from(wide).swap16(), base64, 6, 3),
    ...aligned(Buffer.from(text, 'latin1'), base64, 6, 3),
    ...aligned(bytes, uuencoded, 6, 3),
    ...[base32, base32Hex, crockford].flatMap((alphabet) => aligned(bytes, alphabet, 5, 5)),
    inBase58(bytes),
    ...numbered(bytes),
  ]
}

function inBase58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = base58[Number(number % 58n)]! + text
  return text
}

function formsOf(whole: string): Set<string> {
  const values = [whole, ...passwordIn(whole)]
  return new Set(values.flatMap((value) => [...formsOfOne(value)]))
}

/** The password of an address, which opens the door without the rest of it. */
function passwordIn(value: string): string[] {
  const password = URL.parse(value)?.password ?? ''
  return password === '' ? [] : [password, unescaped(password)]
}

function formsOfOne(value: string): Set<string> {
  const forms = [...encodings(value), ...encodings(reversed(value))]
  const both = [...forms, ...forms.map(reversed)].map(skeleton)
  const all = [...both, ...piecesOf(skeleton(value))]
  return new Set(all.filter((form) => form.length >= lengthMin))
}

const commonPieces = ['private key', 'begin'].map(skeleton)

function piecesOf(plain: string): string[] {
  if (plain.length < 32) return []
  const starts = Array.from({ length: Math.floor(plain.length / 16) - 1 }, (_, i) => (i + 1) * 16)
  return starts
    .map((at) => plain.slice(at, at + 16))
    .filter((piece) => !commonPieces.some((common) => piece.includes(common)))
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

/** What the first letter of a beginning has been multiplied by when the next one comes. */
const leading = Array.from({ length: lengthMin }, () => base).reduce(Math.imul, 1)

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

const scatter = randomInt(1 << 30) * 2 + 1
const shift = 32 / lengthMin
const unknown = 1 << 31

/** What one UTF-16 unit adds to the hash: 0 for a sign, unknown for what is not one letter. */
function stepOf(code: number, isMoved = false): number {
  const unit = skeletonUnit(code, isMoved)
  return unit < 0 ? unknown : Math.imul(unit, scatter)
}

const ascii = Array.from({ length: 128 }, (_, code) => code)
const steps = Int32Array.from(ascii, (code) => stepOf(code))
const movedSteps = Int32Array.from(ascii, (code) => stepOf(code, true))

function shiftedHashOf(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) {
    hash = ((hash << shift) + Math.imul(text.charCodeAt(index), scatter)) | 0
  }
  return hash
}

class Fingerprints {
  readonly #byBeginning = new Map<number, Fingerprint[]>()
  readonly #bits = new Uint8Array(1 << 16)
  readonly #shifted = new Set<number>()
  readonly #shiftedBits = new Uint8Array(1 << 16)

  add(name: string, value: string): void {
    for (const form of formsOf(value)) {
      const beginning = hashOf(form.slice(0, lengthMin))
      const print = { name, length: form.length, whole: hashOf(form), digest: digestOf(form) }
      this.#byBeginning.set(beginning, [...(this.#byBeginning.get(beginning) ?? []), print])
      this.#bits[beginning >>> 16] = 1
      const shifted = shiftedHashOf(form.slice(0, lengthMin))
      this.#shifted.add(shifted)
      this.#shiftedBits[shifted >>> 16] = 1
    }
  }

  mayHold(text: string): boolean {
    const bits = this.#shiftedBits
    let plain = 0
    let moved = 0
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      const step = code < 128 ? steps[code]! : stepOf(code)
      if (step === 0) continue
      if (step === unknown) {
        const point = text.codePointAt(index)!
        if (point < 0x10000 || skeleton(String.fromCodePoint(point)) !== '') return true
        index++
        continue
      }
      plain = ((plain << shift) + step) | 0
      moved = ((moved << shift) + (code < 128 ? movedSteps[code]! : step)) | 0
      if (bits[plain >>> 16] === 1 && this.#shifted.has(plain)) return true
      if (bits[moved >>> 16] === 1 && this.#shifted.has(moved)) return true
    }
    return false
  }

  namesIn(units: Uint16Array, found: Set<string>): void {
    let hash = 0
    let sums: Sums | null = null
    for (let end = 0; end < units.length; end++) {
      hash = (Math.imul(hash, base) + units[end]!) | 0
      if (end >= lengthMin) hash = (hash - Math.imul(leading, units[end - lengthMin]!)) | 0
      if (this.#bits[hash >>> 16] === 0 || end < lengthMin - 1) continue
      for (const print of this.#byBeginning.get(hash) ?? []) {
        if (found.has(print.name)) continue
        sums ??= sumsOf(units)
        const begin = end - lengthMin + 1
        if (sums.hash(begin, print.length) !== print.whole) continue
        const { buffer, byteOffset } = units.subarray(begin)
        const letters = Buffer.from(buffer, byteOffset, 2 * print.length).toString('utf16le')
        if (digestOf(letters) === print.digest) found.add(print.name)
      }
    }
  }
}

interface Sums {
  hash(begin: number, length: number): number
}

function sumsOf(units: Uint16Array): Sums {
  const upTo = new Int32Array(units.length + 1)
  const powers = new Int32Array(units.length + 1)
  powers[0] = 1
  for (let index = 0; index < units.length; index++) {
    upTo[index + 1] = (Math.imul(upTo[index]!, base) + units[index]!) | 0
    powers[index + 1] = Math.imul(powers[index]!, base)
  }
  return {
    hash(begin, length) {
      if (begin + length > units.length) return Number.NaN
      return (upTo[begin + length]! - Math.imul(upTo[begin]!, powers[length]!)) | 0
    },
  }
}

function* readings(text: string): Generator<string> {
  const isWide = beyondAscii.test(text)
  if (!isWide && !/[%\\&=]/.test(text)) {
    if (text.includes('<')) yield text.replace(elements, '')
    return
  }
  yield text
  yield rotated(text)
  yield despelled(text)
  if (isWide) yield asLatin(text)
  if (/(?![A-Z])\p{Lu}/u.test(text)) yield text.toLowerCase()
  if (escapeBackwards.test(text)) yield reversed(text)
}

/** What is not ASCII, but for the marks that prose has and that no skeleton keeps. */
const beyondAscii = /[^\0-\x7f‘’“”–—…]/

const elements = /<[/!]?[A-Za-z-][^<>]{0,80}>/g

const escapeBackwards = /[\dA-Fa-f]%|[\dA-Fa-f}]{1,6}[uUx]?\\|[a-z\d]&|;[a-z\d]{1,8}[#&]|[\dA-F]=/

/** The text without marks, quotes, line ends and joining signs, and with spelled words put together. */
function despelled(text: string): string {
  return text
    .replace(elements, '')
    .replace(/(?<=\S)[ \t]{0,8}\\?\r?\n[ \t]{0,8}(?=\S)/g, '')
    .replace(/["'`]\s{0,4}[+.,&|]{0,2}\s{0,4}["'`]/g, '')
    .replace(/\S(?:(?: [-.,|/:_+] |[ .,|/:_-])\S){7,}/gu, (run) =>
      run.replace(/(\S)(?: [-.,|/:_+] |[ .,|/:_-])(?=\S)/gu, '$1'),
    )
}

function* decodings(text: string): Generator<string> {
  const lines = hasFullLine(text) ? inOneRow(text) : text
  const rows = rowsIn(lines)
  if (rows.base64 >= 11) {
    const found = lines.match(/[A-Za-z0-9+/_-]{11,}/g) ?? []
    for (let from = 0; from < 4 && rows.base64 - from >= 11; from++) {
      const holding = found.filter((row) => mayBeText(row, from))
      if (holding.length === 0) continue
      yield holding.map((row) => legible(Buffer.from(row.slice(from), 'base64'))).join('')
    }
  }
  if (rows.hex >= 16) {
    const found = lines.match(/(?:(?:\\x|0x|[ :,;-]{1,2})?[0-9A-Fa-f]{2}){8,}/g) ?? []
    const digits = found.map((row) => row.replace(/\\x|0x|[ :,;-]/g, ''))
    for (let from = 0; from < 2; from++) {
      yield digits.map((row) => legible(Buffer.from(row.slice(from), 'hex'))).join('')
    }
  }
  if (rows.base64 >= 13) {
    const found = lines.match(/[A-Z2-7]{13,}|[a-z2-7]{13,}/g) ?? []
    const likely = found.filter((row) => /[\dA-Z]/.test(row))
    const longest = Math.max(0, ...likely.map((row) => row.length))
    for (let from = 0; from < 8 && from <= longest - 13; from++) {
      yield likely.map((row) => legible(fromBase32(row.slice(from)))).join('')
    }
  }
  yield* numbersIn(text)
}

/** Whether a line, but for the last, is one row and nothing else. */
function hasFullLine(text: string): boolean {
  for (let from = 0, end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    fullLine.lastIndex = from
    if (fullLine.test(text)) return true
    from = end + 1
  }
  return false
}

const fullLine = /[ \t]{0,8}[A-Za-z0-9+/_=-]{4,}[ \t]{0,8}\r?\n[ \t]{0,8}[A-Za-z0-9+/_-]/y

/** The text with rows that fill their lines put together. */
function inOneRow(text: string): string {
  return text.replace(
    /(?<=^|\n)[ \t]{0,8}([A-Za-z0-9+/_=-]{4,})[ \t]{0,8}\r?\n(?=[ \t]{0,8}[A-Za-z0-9+/_-])/g,
    '$1',
  )
}

function* numbersIn(text: string): Generator<string> {
  for (const row of text.match(/\d{1,8}(?:[^\dA-Za-z\n]{1,3}\d{1,8}){7,}/g) ?? []) {
    const bases = [10, ...(/[89]/.test(row) ? [] : [8]), ...(/[2-9]/.test(row) ? [] : [2])]
    const numbers = row.split(/\D+/)
    for (const base of bases) yield charactersOf(numbers.map((digits) => parseInt(digits, base)))
  }
}

function legible(bytes: Buffer | string): string {
  const text = typeof bytes === 'string' ? bytes : bytes.toString('utf8')
  return (text.match(/[^\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd]{8,}/g) ?? []).join('')
}

function charactersOf(codes: readonly number[]): string {
  if (codes.every((code) => code < 256)) return legible(Buffer.from(codes))
  return codes.map((code) => (code < 0x110000 ? String.fromCodePoint(code) : '')).join('')
}

const sextets = new Uint8Array(128).fill(64)
for (const [value, letter] of Array.from(base64).entries()) sextets[letter.charCodeAt(0)] = value
sextets['-'.charCodeAt(0)] = 62
sextets['_'.charCodeAt(0)] = 63

/** Whether a row of base64, read from that letter, may hold eight characters of text. */
function mayBeText(row: string, from: number): boolean {
  let bits = 0
  let count = 0
  let length = 0
  let before = 0
  for (let at = from; at < row.length; at++) {
    bits = ((bits << 6) | sextets[row.charCodeAt(at)]!) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    const byte = (bits >> count) & 0xff
    length = goesOn(byte, before) ? length + 1 : byte < 0x20 && !isBlank(byte) ? 0 : 1
    before = byte
    if (length >= lengthMin) return true
  }
  return false
}

/** Whether the byte may stand behind that one in a text in UTF-8. */
function goesOn(byte: number, before: number): boolean {
  if (byte < 0x80) return before < 0xc0 && (byte >= 0x20 ? byte !== 0x7f : isBlank(byte))
  return byte < 0xc0 ? before >= 0x80 : before < 0xc0 && byte >= 0xc2 && byte < 0xf5
}

function isBlank(byte: number): boolean {
  return byte === 9 || byte === 10 || byte === 13
}

/** Whether there may be another way to read the text. */
function mayHide(text: string): boolean {
  if (/[%\\&=]|<[/!]?[A-Za-z-]/.test(text) || beyondAscii.test(text)) return true
  const { base64, hex } = rowsIn(hasFullLine(text) ? inOneRow(text) : text)
  return base64 >= 11 || hex >= 16 || /(?:\d[^\dA-Za-z\n]{1,3}){2}\d/.test(text)
}

/** Other ways to read the text, each once; no more for a long text than for a short one. */
function* viewsOf(text: string): Generator<string> {
  const seen = new Set<string>()
  const isNew = (view: string) => view.length >= lengthMin && !seen.has(view) && seen.add(view)
  for (const readingsOf of [readings, decodings]) {
    for (const view of readingsOf(text)) {
      if (!isNew(view)) continue
      yield view
      const kinds = escapes.filter(({ sign }) => sign.test(view))
      const undone = kinds.map(({ undo }) => undo(view))
      if (kinds.length > 0) undone.push(unescaped(view))
      for (const plain of undone) if (isNew(plain)) yield plain
    }
  }
}

/** Says which entries of the vault a text holds, in any form. Pure and total; knows no value. */
export interface VaultMatcher {
  /** The names of the entries whose value is in the text. */
  namesIn: (text: string) => string[]
  /** How many characters of a text can be a value of which the last is missing, in the usual forms. */
  reach: () => number
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
      if (prints.mayHold(text)) {
        prints.namesIn(skeletonUnits(text), found)
        prints.namesIn(skeletonUnits(text, true), found)
      }
      for (const view of mayHide(text) ? viewsOf(text) : []) {
        if (found.size === names.length) break
        if (prints.mayHold(view)) prints.namesIn(skeletonUnits(view), found)
      }
      return names.filter((name) => found.has(name))
    },
  })
}

/** The entries that an action holds, whole or dealt out over its arguments. */
export function namesOfAction(action: Action, namesIn: VaultMatcher['namesIn']): string[] {
  const names = namesIn(wholeTextOf(action))
  return names.length > 0 ? names : namesIn(recombinedOf(action))
}
