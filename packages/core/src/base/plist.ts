/** A Lisp keyword; `name` is upper-case unless it was quoted with bars, and has no colon. */
export class Keyword {
  readonly kind = 'keyword'
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** A Lisp symbol other than `T` and `NIL`, without its package. */
export class LispSymbol {
  readonly kind = 'symbol'
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** Anything that can be read from the wire. `null` is NIL, `true` is T. */
export type PlistValue =
  | null
  | true
  | string
  | number
  | bigint
  | Keyword
  | LispSymbol
  | PlistValue[]

/** The keyword of this name; give the name in upper case. */
export function keyword(name: string): Keyword {
  return new Keyword(name)
}

/** Why a text is no plist; `offset` counts code points from zero. */
class PlistError extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(`${message} (at character ${offset})`)
    this.name = 'PlistError'
    this.offset = offset
  }
}

/** How far the reader goes before it refuses. */
interface PlistLimits {
  /** Most lists inside one another. */
  depthMax: number
  /** Most UTF-16 units in a text. */
  lengthMax: number
}

/** Limits for text that comes from outside. */
const plistLimits: PlistLimits = { depthMax: 64, lengthMax: 2_097_152 }

const numberDigitsMax = 1024

interface Cursor {
  readonly text: string
  readonly limits: PlistLimits
  at: number
}

/**
 * Reads one Lisp form that is plain data. Throws a PlistError for anything else: reader macros,
 * comments, dotted pairs, package prefixes, unbalanced parentheses, text after the form, too deep.
 */
export function readPlist(text: string, limits: PlistLimits = plistLimits): PlistValue {
  if (text.length > limits.lengthMax) {
    throw new PlistError(`Expected at most ${limits.lengthMax} characters`, 0)
  }
  const cursor: Cursor = { text, limits, at: 0 }
  skipBlank(cursor)
  const value = readForm(cursor, 0)
  skipBlank(cursor)
  if (cursor.at < text.length) fail(cursor, 'Expected the end after one form')
  return value
}

function fail(cursor: Cursor, message: string): never {
  throw new PlistError(message, Array.from(cursor.text.slice(0, cursor.at)).length)
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11)
}

function skipBlank(cursor: Cursor): void {
  while (cursor.at < cursor.text.length && isBlank(cursor.text.charCodeAt(cursor.at))) cursor.at++
}

function readForm(cursor: Cursor, depth: number): PlistValue {
  const char = cursor.text[cursor.at]
  if (depth > cursor.limits.depthMax) {
    fail(cursor, `Expected at most ${cursor.limits.depthMax} lists inside one another`)
  }
  switch (char) {
    case undefined:
      return fail(cursor, 'Expected a form, found the end')
    case '(':
      return readList(cursor, depth)
    case ')':
      return fail(cursor, 'Expected a form, found a closing parenthesis')
    case '"':
      return readString(cursor)
    case "'":
      cursor.at++
      skipBlank(cursor)
      return [new LispSymbol('QUOTE'), readForm(cursor, depth + 1)]
    case '#':
    case ';':
    case '`':
    case ',':
      return fail(cursor, `Expected data, found the reader macro ${char}`)
    default:
      return readAtom(cursor)
  }
}

function readList(cursor: Cursor, depth: number): PlistValue {
  const items: PlistValue[] = []
  cursor.at++
  for (;;) {
    skipBlank(cursor)
    if (cursor.at >= cursor.text.length) return fail(cursor, 'Expected a closing parenthesis')
    if (cursor.text[cursor.at] === ')') break
    items.push(readForm(cursor, depth + 1))
  }
  cursor.at++
  return items.length === 0 ? null : items
}

function readString(cursor: Cursor): string {
  const { text } = cursor
  let out = ''
  let from = ++cursor.at
  for (; cursor.at < text.length; cursor.at++) {
    const code = text.charCodeAt(cursor.at)
    if (code === 34) {
      out += text.slice(from, cursor.at)
      cursor.at++
      return out
    }
    if (code === 92) {
      out += text.slice(from, cursor.at)
      from = ++cursor.at
    }
  }
  return fail(cursor, 'Expected a closing double quote')
}

interface Token {
  name: string
  /** True when a backslash or a bar was used, so it can be neither a number nor dots. */
  escaped: boolean
  isKeyword: boolean
}

/** The token at the cursor when it is nothing but ASCII without an escape, else null. */
function readPlainToken(cursor: Cursor): Token | null {
  const { text } = cursor
  const isKeyword = text.charCodeAt(cursor.at) === 58
  const from = isKeyword ? cursor.at + 1 : cursor.at
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 32 || code === 40 || code === 41 || code === 34) break
    const isPlain = (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 45
    if (!isPlain) return null
  }
  cursor.at = at
  return { name: text.slice(from, at), escaped: false, isKeyword }
}

function readToken(cursor: Cursor): Token {
  const { text } = cursor
  const plain = readPlainToken(cursor)
  if (plain !== null) return plain
  const token: Token = { name: '', escaped: false, isKeyword: text[cursor.at] === ':' }
  let inBars = false
  if (token.isKeyword) cursor.at++
  while (cursor.at < text.length) {
    const char = String.fromCodePoint(text.codePointAt(cursor.at)!)
    if (!inBars && isDelimiter(char)) break
    if (!inBars && char === ':') fail(cursor, 'Expected a symbol without a package')
    cursor.at += char.length
    if (char === '|') {
      inBars = !inBars
      token.escaped = true
    } else if (char === '\\') {
      token.escaped = true
      if (cursor.at >= text.length) fail(cursor, 'Expected a character after the backslash')
      const kept = String.fromCodePoint(text.codePointAt(cursor.at)!)
      token.name += kept
      cursor.at += kept.length
    } else {
      token.name += inBars ? char : upcase(char)
    }
  }
  if (inBars) fail(cursor, 'Expected a closing bar')
  return token
}

function isDelimiter(char: string): boolean {
  return isBlank(char.charCodeAt(0)) || '()"\';`,'.includes(char)
}

function upcase(char: string): string {
  const upper = char.toUpperCase()
  return upper.length === char.length && upper.toLowerCase() === char ? upper : char
}

const integerPattern = /^[+-]?\d+\.?$/
const ratioPattern = /^([+-]?\d+)\/(\d+)$/
const floatPattern = /^([+-]?\d*\.\d+|[+-]?\d+(?:\.\d*)?(?=[A-Z]))(?:[DEFLS]([+-]?\d+))?$/

function readAtom(cursor: Cursor): PlistValue {
  const start = cursor.at
  const { name, escaped, isKeyword } = readToken(cursor)
  if (isKeyword) {
    if (name === '' && !escaped) fail(cursor, 'Expected a name after the colon')
    return new Keyword(name)
  }
  if (!escaped && /^\.+$/.test(name)) fail(cursor, 'Expected data, found a dot')
  const number = escaped ? null : readNumber(name)
  if (number === null) {
    if (name === 'NIL') return null
    return name === 'T' ? true : new LispSymbol(name)
  }
  if (typeof number === 'number' && !Number.isFinite(number)) {
    cursor.at = start
    fail(cursor, 'Expected a number that fits')
  }
  return number
}

/** A number, null when the token is none, infinite when it does not fit. */
function readNumber(name: string): number | bigint | null {
  if (!/[0-9]/.test(name)) return null
  if (integerPattern.test(name)) return readInteger(name.replace('.', ''))
  const ratio = ratioPattern.exec(name)
  if (ratio !== null) return Number(ratio[1]) / Number(ratio[2])
  const float = floatPattern.exec(name)
  return float === null ? null : Number(`${float[1]}e${float[2] ?? '0'}`)
}

function readInteger(digits: string): number | bigint {
  if (digits.length > numberDigitsMax) return Number.POSITIVE_INFINITY
  const small = Number(digits)
  if (Number.isSafeInteger(small)) return small === 0 ? 0 : small
  return BigInt(digits.startsWith('+') ? digits.slice(1) : digits)
}

/** Prints a value as SBCL's `prin1` does. Throws a RangeError for a number that is not finite. */
export function printPlist(value: PlistValue): string {
  if (value === null) return 'NIL'
  if (value === true) return 'T'
  if (typeof value === 'string') return printString(value.toWellFormed())
  if (typeof value === 'number') return printNumber(value)
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) {
    return value.length === 0 ? 'NIL' : `(${value.map(printPlist).join(' ')})`
  }
  return value instanceof Keyword ? `:${printName(value.name)}` : printName(value.name)
}

function printString(text: string): string {
  return /["\\]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : `"${text}"`
}

function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`Expected a finite number, got ${value}`)
  if (Object.is(value, -0)) return '-0.0d0'
  if (Number.isSafeInteger(value)) return String(value)
  const size = Math.abs(value)
  if (size >= 1e-3 && size < 1e7) return `${value}d0`
  const [mantissa, exponent] = value.toExponential().split('e')
  const digits = mantissa!.includes('.') ? mantissa! : `${mantissa}.0`
  return `${digits}d${Number(exponent)}`
}

function printName(name: string): string {
  const plain = /^[A-Z*+<=>?!$%&/_~^-][A-Z0-9*+<=>?!$%&/_~^.@-]*$/.test(name)
  const numeric = /^[+-]?[\d./^_]+$/.test(name)
  if (plain && !numeric) return name
  if (/^[+-]$/.test(name)) return name
  return `|${name.toWellFormed().replace(/[|\\]/g, '\\$&')}|`
}

/** Keys whose values are names of our vocabulary: keywords on the wire, lower-case strings here. */
export const keywordKeys: ReadonlySet<string> = new Set([
  'type',
  'action',
  'sensor',
  'target',
  'source',
  'status',
  'level',
  'tier',
  'tool',
])

/** Turns nested plists into objects, other lists into arrays. Throws a TypeError for `__proto__`. */
export function plistToObject(value: PlistValue): unknown {
  if (!Array.isArray(value)) return value
  if (!isPlist(value)) return value.map(plistToObject)
  const object: Record<string, unknown> = {}
  for (let index = 0; index < value.length; index += 2) {
    const key = keyFromName((value[index] as Keyword).name)
    if (key === '__proto__') throw new TypeError('Expected a key other than __proto__')
    if (Object.hasOwn(object, key)) continue
    const item = value[index + 1]!
    const isName = item instanceof Keyword && keywordKeys.has(key)
    object[key] = isName ? lowerAscii(item.name) : plistToObject(item)
  }
  return object
}

function isPlist(list: PlistValue[]): boolean {
  return list.length % 2 === 0 && list.every((item, at) => at % 2 === 1 || item instanceof Keyword)
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

function keyFromName(name: string): string {
  if (/^[A-Z]+$/.test(name)) return name.toLowerCase()
  if (/[a-z]/.test(name)) return name
  return lowerAscii(name).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function nameFromKey(key: string): string {
  if (/^[a-z]+$/.test(key)) return key.toUpperCase()
  const name = upperAscii(key.replace(/[A-Z]/g, '-$&'))
  return keyFromName(name) === key ? name : key
}

/**
 * Turns objects and arrays into nested lists; the inverse of `plistToObject` but for what NIL
 * swallows. Throws a TypeError for a value that cannot travel.
 */
export function objectToPlist(value: unknown): PlistValue {
  if (value === null || value === undefined || value === false) return null
  if (value === true || typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (value instanceof Keyword || value instanceof LispSymbol) return value
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(objectToPlist)
  if (typeof value !== 'object') throw new TypeError(`Expected data, got a ${typeof value}`)
  const list: PlistValue[] = []
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue
    list.push(keyword(nameFromKey(key)), fieldToPlist(key, item))
  }
  return list.length === 0 ? null : list
}

function fieldToPlist(key: string, value: unknown): PlistValue {
  if (typeof value !== 'string') return objectToPlist(value)
  const isName = keywordKeys.has(key) && /^[a-z][a-z0-9-]*$/.test(value)
  return isName ? keyword(upperAscii(value)) : value
}
