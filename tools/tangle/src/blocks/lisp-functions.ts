import {
  expandFileName,
  fileExtension,
  fileNameDirectory,
  fileNameNondirectory,
  relativeFileName,
  withoutExtension,
} from '../project/paths.ts'
import {
  Cons,
  elements,
  type Lisp,
  LispFloat,
  LispSymbol,
  listOf,
  nil,
  printLisp,
  symbol,
  t,
} from './lisp.ts'

/** All that an expression can learn about the world it runs in. */
export interface LispWorld {
  /** Environment variables, for `getenv`. */
  env: Readonly<Record<string, string | undefined>>
  /** The home directory, absolute. */
  home: string
  /** The document, absolute; its folder is the current one. */
  file: string
  /** As in `process.platform`, for `system-type`. */
  platform: string
  /** The time, for `format-time-string`; without it, asking for the time is an error. */
  clock?: Date
  /** A property at the block, for `org-entry-get`. */
  property?(name: string, inherit: boolean): string | null
}

/** Something that Lisp would complain about, or that is not known here. */
export class LispError extends Error {}

/** How long a string may become. */
export const sizeMax = 100_000

function text(value: Lisp | undefined): string {
  if (typeof value === 'string') return value
  throw new LispError(`${printLisp(value ?? nil)} is no string`)
}

function nameOrText(value: Lisp | undefined): string {
  return value instanceof LispSymbol ? value.name : text(value)
}

function number(value: Lisp | undefined): number {
  if (typeof value === 'number') return value
  if (value instanceof LispFloat) return value.value
  throw new LispError(`${printLisp(value ?? nil)} is no number`)
}

function list(value: Lisp | undefined): Lisp[] {
  const found = elements(value ?? nil)
  if (found === null) throw new LispError(`${printLisp(value ?? nil)} is no list`)
  return found
}

const truth = (value: boolean): Lisp => (value ? t : nil)
const orNil = (value: string | null): Lisp => value ?? nil

const same = (a: Lisp | undefined, b: Lisp | undefined) =>
  printLisp(a ?? nil) === printLisp(b ?? nil)

function identical(a: Lisp | undefined, b: Lisp | undefined): boolean {
  return a === b && typeof a !== 'string'
}

function arithmetic(values: readonly Lisp[], step: (a: number, b: number) => number, unit: number) {
  const numbers = values.map(number)
  const first = numbers.length > 1 ? numbers.shift()! : unit
  const result = numbers.reduce(step, numbers.length === 0 ? unit : first)
  return values.some((value) => value instanceof LispFloat)
    ? new LispFloat(result)
    : Math.trunc(result)
}

function compared(values: readonly Lisp[], holds: (a: number, b: number) => boolean): Lisp {
  const numbers = values.map(number)
  return truth(numbers.every((value, index) => index === 0 || holds(numbers[index - 1]!, value)))
}

type Apply = (called: Lisp, values: Lisp[]) => Lisp
type Known = (values: Lisp[], world: LispWorld, apply: Apply) => Lisp

const onNumbers: [string, Known][] = [
  ['+', (values) => arithmetic(values, (a, b) => a + b, 0)],
  ['-', (values) => arithmetic(values, (a, b) => a - b, 0)],
  ['*', (values) => arithmetic(values, (a, b) => a * b, 1)],
  ['/', (values) => arithmetic(values, (a, b) => a / b, 1)],
  ['%', ([a, b]) => number(a) % number(b)],
  ['1+', ([a]) => arithmetic([a!, 1], (x, y) => x + y, 0)],
  ['1-', ([a]) => arithmetic([a!, 1], (x, y) => x - y, 0)],
  ['=', (values) => compared(values, (a, b) => a === b)],
  ['/=', ([a, b]) => truth(number(a) !== number(b))],
  ['<', (values) => compared(values, (a, b) => a < b)],
  ['>', (values) => compared(values, (a, b) => a > b)],
  ['<=', (values) => compared(values, (a, b) => a <= b)],
  ['>=', (values) => compared(values, (a, b) => a >= b)],
  ['max', (values) => Math.max(...values.map(number))],
  ['min', (values) => Math.min(...values.map(number))],
  ['number-to-string', ([a]) => printLisp(number(a) === a ? a : a!)],
]

const first = (value: Lisp | undefined): Lisp => (value instanceof Cons ? value.car : nil)
const others = (value: Lisp | undefined): Lisp => (value instanceof Cons ? value.cdr : nil)

function find(key: Lisp, pairs: Lisp, equal: (a: Lisp, b: Lisp) => boolean): Lisp {
  return list(pairs).find((pair) => pair instanceof Cons && equal(pair.car, key)) ?? nil
}

function member(value: Lisp, from: Lisp | undefined, equal: (a: Lisp, b: Lisp) => boolean): Lisp {
  for (let at: Lisp = from ?? nil; at instanceof Cons; at = at.cdr) {
    if (equal(at.car, value)) return at
  }
  return nil
}

const onLists: [string, Known][] = [
  ['list', (values) => listOf(values)],
  ['cons', ([a, b]) => new Cons(a!, b ?? nil)],
  ['car', ([a]) => first(a)],
  ['cdr', ([a]) => others(a)],
  ['cadr', ([a]) => first(others(a))],
  ['cddr', ([a]) => others(others(a))],
  ['caar', ([a]) => first(first(a))],
  ['nth', ([n, a]) => list(a)[number(n)] ?? nil],
  ['nthcdr', ([n, a]) => listOf(list(a).slice(number(n)))],
  ['last', ([a]) => listOf(list(a).slice(-1))],
  ['length', ([a]) => (typeof a === 'string' ? [...a].length : list(a).length)],
  ['reverse', ([a]) => listOf(list(a).reverse())],
  ['append', (values) => listOf(values.slice(0, -1).flatMap(list), values.at(-1) ?? nil)],
  ['member', ([a, b]) => member(a!, b, same)],
  ['memq', ([a, b]) => member(a!, b, identical)],
  ['assoc', ([a, b]) => find(a!, b!, same)],
  ['assq', ([a, b]) => find(a!, b!, identical)],
  ['alist-get', ([a, b]) => others(find(a!, b!, identical))],
  ['mapcar', ([f, a], _, apply) => listOf(list(a).map((value) => apply(f!, [value])))],
  ['funcall', ([f, ...values], _, apply) => apply(f!, values)],
  [
    'apply',
    ([f, ...values], _, apply) => apply(f!, [...values.slice(0, -1), ...list(values.at(-1))]),
  ],
]

function substring([value, from, to]: Lisp[]): Lisp {
  const characters = [...text(value)]
  const begin = from === undefined || from === nil ? 0 : number(from)
  const end = to === undefined || to === nil ? characters.length : number(to)
  return characters.slice(begin, end).join('')
}

function concat(values: readonly Lisp[]): string {
  const parts = values.map((value) => {
    if (typeof value === 'string') return value
    return list(value)
      .map((code) => String.fromCodePoint(number(code)))
      .join('')
  })
  return parts.join('')
}

function join(values: readonly Lisp[], separator: Lisp | undefined): string {
  return values.map(text).join(separator === undefined ? '' : text(separator))
}

const capitals = (value: string) =>
  value.toLowerCase().replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase())

const onStrings: [string, Known][] = [
  ['concat', concat],
  ['substring', substring],
  ['upcase', ([a]) => text(a).toUpperCase()],
  ['downcase', ([a]) => text(a).toLowerCase()],
  ['capitalize', ([a]) => capitals(text(a))],
  ['string-trim', ([a]) => text(a).replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '')],
  ['string-trim-left', ([a]) => text(a).replace(/^[ \t\n\r]+/, '')],
  ['string-trim-right', ([a]) => text(a).replace(/[ \t\n\r]+$/, '')],
  ['string-join', ([a, separator]) => join(list(a), separator)],
  [
    'mapconcat',
    ([f, a, separator], _, apply) =>
      join(
        list(a).map((value) => apply(f!, [value])),
        separator,
      ),
  ],
  ['split-string', ([a, separator]) => listOf(split(text(a), separator))],
  ['string-replace', ([from, to, a]) => text(a).replaceAll(text(from), () => text(to))],
  ['string-prefix-p', ([a, b]) => truth(text(b).startsWith(text(a)))],
  ['string-suffix-p', ([a, b]) => truth(text(b).endsWith(text(a)))],
  ['string-empty-p', ([a]) => truth(text(a) === '')],
  ['string=', ([a, b]) => truth(nameOrText(a) === nameOrText(b))],
  ['string-equal', ([a, b]) => truth(nameOrText(a) === nameOrText(b))],
  ['string<', ([a, b]) => truth(nameOrText(a) < nameOrText(b))],
  ['string-to-number', ([a]) => Number.parseInt(text(a), 10) || 0],
  ['char-to-string', ([a]) => String.fromCodePoint(number(a))],
  [
    'make-string',
    ([n, code]) =>
      String.fromCodePoint(number(code)).repeat(Math.min(Math.max(number(n), 0), sizeMax + 1)),
  ],
  ['format', ([pattern, ...values]) => format(text(pattern), values)],
  ['prin1-to-string', ([a]) => printLisp(a ?? nil)],
]

function split(value: string, separator: Lisp | undefined): string[] {
  if (separator === undefined || separator === nil) {
    return value.split(/[ \f\t\n\r\v]+/).filter((part) => part !== '')
  }
  if (/[\\*+?[\]^$.]/.test(text(separator))) throw new LispError('it splits by a pattern')
  return value.split(text(separator))
}

function format(pattern: string, values: readonly Lisp[]): string {
  let index = 0
  return pattern.replace(/%([-0+ #]*)(\d*)(?:\.(\d+))?(.)/gs, (_, flags, width, digits, letter) => {
    if (letter === '%') return '%'
    const value = values[index++]
    if (value === undefined) throw new LispError('format has not enough arguments')
    const shown = formatOne(letter, value, digits)
    const fill = flags.includes('0') && letter !== 's' && letter !== 'S' ? '0' : ' '
    const room = Math.min(Number(width), 1000)
    return flags.includes('-') ? shown.padEnd(room) : shown.padStart(room, fill)
  })
}

function formatOne(letter: string, value: Lisp, digits: string | undefined): string {
  if (letter === 's') return printLisp(value, false)
  if (letter === 'S') return printLisp(value)
  if (letter === 'c') return String.fromCodePoint(number(value))
  if (letter === 'f') return number(value).toFixed(digits === undefined ? 6 : Number(digits))
  const base = { d: 10, o: 8, x: 16, X: 16 }[letter]
  if (base === undefined) throw new LispError(`format does not know %${letter} here`)
  const shown = Math.trunc(number(value)).toString(base)
  return letter === 'X' ? shown.toUpperCase() : shown
}

const expand = ([name, folder]: Lisp[], { file, home }: LispWorld) => {
  const here = fileNameDirectory(file) ?? '/'
  const base = folder === undefined || folder === nil ? here : text(folder)
  return expandFileName(text(name), expandFileName(base, here, home), home)
}
const asFolder = (name: string) => (name === '' ? './' : name.replace(/\/?$/, '/'))

const onFiles: [string, Known][] = [
  ['expand-file-name', expand],
  ['file-truename', expand],
  ['file-name-directory', ([a]) => orNil(fileNameDirectory(text(a)))],
  ['file-name-nondirectory', ([a]) => fileNameNondirectory(text(a))],
  ['file-name-sans-extension', ([a]) => withoutExtension(text(a))],
  ['file-name-extension', ([a]) => orNil(fileExtension(fileNameNondirectory(text(a))))],
  ['file-name-base', ([a], { file }) => withoutExtension(fileNameNondirectory(text(a ?? file)))],
  ['file-name-as-directory', ([a]) => asFolder(text(a))],
  ['directory-file-name', ([a]) => text(a).replace(/(?<=.)\/+$/, '')],
  ['file-name-concat', (values) => concatNames(values.filter((value) => value !== nil).map(text))],
  ['file-name-absolute-p', ([a]) => truth(/^[/~]/.test(text(a)))],
  [
    'file-relative-name',
    ([a, folder], world) => relativeFileName(expand([a!], world), expand([folder ?? ''], world)),
  ],
  ['buffer-file-name', (_, { file }) => file],
  ['getenv', ([a], { env }) => orNil(env[text(a)] ?? null)],
  [
    'org-entry-get',
    ([, name, inherit], world) =>
      orNil(world.property?.(text(name), inherit !== undefined && inherit !== nil) ?? null),
  ],
  ['format-time-string', ([pattern], { clock }) => formatTime(text(pattern), clock)],
]

function concatNames(names: readonly string[]): string {
  const parts = names.filter((name) => name !== '')
  return parts.map((name, index) => (index < parts.length - 1 ? asFolder(name) : name)).join('')
}

const onValues: [string, Known][] = [
  ['identity', ([a]) => a ?? nil],
  ['ignore', () => nil],
  ['not', ([a]) => truth((a ?? nil) === nil)],
  ['null', ([a]) => truth((a ?? nil) === nil)],
  ['equal', ([a, b]) => truth(same(a, b))],
  ['eq', ([a, b]) => truth(identical(a, b))],
  ['eql', ([a, b]) => truth(identical(a, b))],
  ['intern', ([a]) => symbol(text(a))],
  ['symbol-name', ([a]) => nameOrText(a)],
  ['stringp', ([a]) => truth(typeof a === 'string')],
  ['numberp', ([a]) => truth(typeof a === 'number' || a instanceof LispFloat)],
  ['integerp', ([a]) => truth(typeof a === 'number')],
  ['symbolp', ([a]) => truth(a instanceof LispSymbol)],
  ['consp', ([a]) => truth(a instanceof Cons)],
  ['listp', ([a]) => truth(a instanceof Cons || a === nil)],
]

/** The functions by their names. */
export const functions: ReadonlyMap<string, Known> = new Map([
  ...onNumbers,
  ...onLists,
  ...onStrings,
  ...onFiles,
  ...onValues,
])

function formatTime(pattern: string, clock: Date | undefined): string {
  if (clock === undefined) throw new LispError('there is no clock here')
  const two = (value: number) => String(value).padStart(2, '0')
  const parts: Record<string, () => string> = {
    Y: () => String(clock.getFullYear()),
    m: () => two(clock.getMonth() + 1),
    d: () => two(clock.getDate()),
    H: () => two(clock.getHours()),
    M: () => two(clock.getMinutes()),
    S: () => two(clock.getSeconds()),
    y: () => two(clock.getFullYear() % 100),
    F: () => formatTime('%Y-%m-%d', clock),
    T: () => formatTime('%H:%M:%S', clock),
    R: () => formatTime('%H:%M', clock),
    s: () => String(Math.floor(clock.getTime() / 1000)),
    '%': () => '%',
  }
  return pattern.replace(/%(.)/gs, (_, letter) => {
    const part = parts[letter]
    if (part === undefined) throw new LispError(`format-time-string does not know %${letter} here`)
    return part()
  })
}
