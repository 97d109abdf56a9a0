/** A Lisp symbol; see `symbol`. */
export class LispSymbol {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** A number with a point. */
export class LispFloat {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** A pair, the link of a list. */
export class Cons {
  readonly car: Lisp
  readonly cdr: Lisp
  constructor(car: Lisp, cdr: Lisp) {
    this.car = car
    this.cdr = cdr
  }
}

/** Whatever Lisp can hold here; an array is a vector. */
export type Lisp = string | number | LispFloat | LispSymbol | Cons | readonly Lisp[]

const symbols = new Map<string, LispSymbol>()

/** The symbol of a name, always the same one. */
export function symbol(name: string): LispSymbol {
  const found = symbols.get(name) ?? new LispSymbol(name)
  symbols.set(name, found)
  return found
}

/** False, and the end of every list. */
export const nil: LispSymbol = symbol('nil')
/** True. */
export const t: LispSymbol = symbol('t')

/** A list of these values, with `tail` behind the last. */
export function listOf(values: readonly Lisp[], tail: Lisp = nil): Lisp {
  return values.reduceRight((rest, value) => new Cons(value, rest), tail)
}

/** The elements of a list; null for anything that is none, or that ends in a dot. */
export function elements(list: Lisp): Lisp[] | null {
  const found: Lisp[] = []
  while (list instanceof Cons) {
    found.push(list.car)
    list = list.cdr
  }
  return list === nil ? found : null
}

interface Reader {
  text: string
  at: number
  depth: number
}

const depthMax = 100
const blank = /(?:[ \f\t\n\r]|;[^\n]*)*/y

function skip(reader: Reader): void {
  blank.lastIndex = reader.at
  reader.at += blank.exec(reader.text)![0].length
}

/** The first value of a text and the offset behind it; null when there is none. */
export function readLisp(text: string): { value: Lisp; end: number } | null {
  const reader = { text, at: 0, depth: 0 }
  const value = readValue(reader)
  return value === null ? null : { value, end: reader.at }
}

const marks = new Map([
  ["'", 'quote'],
  ['`', '`'],
  [',@', ',@'],
  [',', ','],
  ["#'", 'function'],
])

function readValue(reader: Reader): Lisp | null {
  skip(reader)
  if (reader.depth > depthMax) return null
  reader.depth++
  try {
    const { text, at } = reader
    const mark = [...marks.keys()].find((key) => text.startsWith(key, at))
    if (mark !== undefined) {
      reader.at += mark.length
      const value = readValue(reader)
      return value === null ? null : listOf([symbol(marks.get(mark)!), value])
    }
    if (text[at] === '(') return readList(reader)
    if (text[at] === '[') return readVector(reader)
    if (text[at] === '"') return readString(reader)
    if (text[at] === '?') return readCharacter(reader)
    return readAtom(reader)
  } finally {
    reader.depth--
  }
}

function readList(reader: Reader): Lisp | null {
  const values: Lisp[] = []
  reader.at++
  for (;;) {
    skip(reader)
    if (reader.text[reader.at] === ')') {
      reader.at++
      return listOf(values)
    }
    if (values.length > 0 && /^\.[\s()"';]/.test(reader.text.slice(reader.at, reader.at + 2))) {
      reader.at++
      const tail = readValue(reader)
      skip(reader)
      if (tail === null || reader.text[reader.at++] !== ')') return null
      return listOf(values, tail)
    }
    const value = readValue(reader)
    if (value === null) return null
    values.push(value)
  }
}

function readVector(reader: Reader): Lisp | null {
  const values: Lisp[] = []
  reader.at++
  for (;;) {
    skip(reader)
    if (reader.text[reader.at] === ']') {
      reader.at++
      return values
    }
    const value = readValue(reader)
    if (value === null) return null
    values.push(value)
  }
}

const escapePattern =
  /\\(?:x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U00([0-9a-fA-F]{6})|([0-7]{1,3})|([\s\S]))/uy
const letters = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['e', '\u001b'],
  ['s', ' '],
  ['f', '\f'],
  ['v', '\v'],
  ['a', '\u0007'],
  ['b', '\b'],
  ['d', '\u007f'],
])

function readEscape(reader: Reader): string | null {
  escapePattern.lastIndex = reader.at
  const match = escapePattern.exec(reader.text)
  if (match === null) return null
  reader.at += match[0].length
  const [, hex, short, long, octal, char] = match
  if (char !== undefined) return letters.get(char) ?? char
  const code = Number.parseInt(hex ?? short ?? long ?? octal!, octal === undefined ? 16 : 8)
  return code < 0x110000 ? String.fromCodePoint(code) : null
}

function readString(reader: Reader): string | null {
  let value = ''
  reader.at++
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at]!
    if (char === '"') {
      reader.at++
      return value
    }
    if (char !== '\\') {
      value += char
      reader.at++
      continue
    }
    const silent = /[ \n]/.test(reader.text[reader.at + 1] ?? '')
    const escaped = readEscape(reader)
    if (escaped === null) return null
    if (!silent) value += escaped
  }
  return null
}

function readCharacter(reader: Reader): number | null {
  reader.at++
  if (reader.text[reader.at] === '\\') return readEscape(reader)?.codePointAt(0) ?? null
  const code = reader.text.codePointAt(reader.at)
  if (code === undefined) return null
  reader.at += code > 0xffff ? 2 : 1
  return code
}

const word = /(?:\\[\s\S]|[^\s"';()[\],`\\])+/y

function readAtom(reader: Reader): Lisp | null {
  word.lastIndex = reader.at
  const text = word.exec(reader.text)?.[0]
  if (text === undefined || text === '.') return null
  reader.at += text.length
  const based = /^#([box])([+-]?)([0-9a-f]+)$/i.exec(text)
  if (based !== null) return readBased(based)
  if (text.startsWith('#')) return null
  if (/^[+-]?[0-9]+\.?$/.test(text)) return Number.parseInt(text, 10)
  if (/^[+-]?[0-9]*(?:\.[0-9]+(?:e[+-]?[0-9]+)?|(?<=[0-9])e[+-]?[0-9]+)$/i.test(text)) {
    return new LispFloat(Number(text))
  }
  return symbol(text.replace(/\\([\s\S])/g, '$1'))
}

function readBased([, letter, sign, digits]: RegExpExecArray): number | null {
  const base = { b: 2, o: 8, x: 16 }[letter!.toLowerCase() as 'b']
  if ([...digits!].some((digit) => Number.isNaN(Number.parseInt(digit, base)))) return null
  return Number.parseInt(`${sign}${digits}`, base)
}

/** The value as Lisp would write it, `prin1`; or as it would show it, `princ`, without `quoted`. */
export function printLisp(value: Lisp, quoted = true): string {
  const print = (inner: Lisp) => printLisp(inner, quoted)
  if (typeof value === 'string') return quoted ? `"${value.replace(/["\\]/g, '\\$&')}"` : value
  if (typeof value === 'number') return String(value)
  if (value instanceof LispFloat) return printFloat(value.value)
  if (value instanceof LispSymbol) return quoted ? printSymbol(value.name) : value.name
  if (!(value instanceof Cons)) return `[${value.map(print).join(' ')}]`
  return markOf(value, print) ?? `(${printTail(value, print)})`
}

type Print = (value: Lisp) => string

function markOf(value: Cons, print: Print): string | null {
  if (!(value.car instanceof LispSymbol && value.cdr instanceof Cons)) return null
  if (value.cdr.cdr !== nil) return null
  for (const [mark, name] of marks) {
    if (value.car.name === name) return mark + print(value.cdr.car)
  }
  return null
}

function printTail(list: Cons, print: Print): string {
  let text = print(list.car)
  let rest = list.cdr
  for (; rest instanceof Cons; rest = rest.cdr) text += ` ${print(rest.car)}`
  return rest === nil ? text : `${text} . ${print(rest)}`
}

function printFloat(value: number): string {
  if (Number.isNaN(value)) return '0.0e+NaN'
  if (!Number.isFinite(value)) return value > 0 ? '1.0e+INF' : '-1.0e+INF'
  const text = Object.is(value, -0) ? '-0' : String(value)
  if (!text.includes('e')) return text.includes('.') ? text : `${text}.0`
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}

function printSymbol(name: string): string {
  if (name === '') return '##'
  const escaped = name.replace(/["\\'();[\]`,\s]/g, '\\$&').replace(/^[?#]/, '\\$&')
  return /^[+-]?[0-9]+\.?$|^[+-]?[0-9]*\.[0-9]+$/.test(name) ? `\\${escaped}` : escaped
}
