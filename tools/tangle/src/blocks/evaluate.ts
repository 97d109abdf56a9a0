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
  readLisp,
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

/**
 * The value of a header argument or a table's cell; nil for null. With `literal` nothing is
 * evaluated. Throws a LispError. `org-babel-read`.
 */
export function readArgument(text: string | null, world: LispWorld, literal = false): Lisp {
  if (text === null) return nil
  if (/^[ \t\n\r]*$/.test(text)) return text
  const number = numberIn(text)
  if (number !== null) return number
  if (!literal && /^[('`[]/.test(text)) {
    const read = readLisp(text)
    if (read === null) throw new LispError('it is not complete')
    return evaluateLisp(read.value, world)
  }
  if (/^\s*".*"\s*$/s.test(text)) {
    const read = readLisp(text)
    if (read !== null && /^\s*$/.test(text.slice(read.end))) return read.value
  }
  return text
}

function numberIn(text: string): Lisp | null {
  if (/\s/.test(text.trim()) || !/^[0-9e.+ -]+$/m.test(text)) return null
  const value = readLisp(text)?.value
  return typeof value === 'number' || value instanceof LispFloat ? value : null
}

interface Scope {
  names: ReadonlyMap<string, Lisp>
  outer: Scope | null
}

interface Run {
  world: LispWorld
  steps: number
  depth: number
}

const stepsMax = 10_000
const callsMax = 100
const sizeMax = 100_000

/** The value of an expression. Throws a LispError for all that is unknown, or takes too long. */
function evaluateLisp(form: Lisp, world: LispWorld): Lisp {
  return evaluate(form, null, { world, steps: 0, depth: 0 })
}

function evaluate(form: Lisp, scope: Scope | null, run: Run): Lisp {
  if (++run.steps > stepsMax) throw new LispError('it takes too long')
  if (form instanceof LispSymbol) return variable(form, scope, run.world)
  if (!(form instanceof Cons)) return form
  if (++run.depth > callsMax) throw new LispError('it nests too deeply')
  const value = call(form, scope, run)
  run.depth--
  if (typeof value === 'string' && value.length > sizeMax) throw new LispError('it grows too long')
  return value
}

function variable(name: LispSymbol, scope: Scope | null, world: LispWorld): Lisp {
  for (let at = scope; at !== null; at = at.outer) {
    const value = at.names.get(name.name)
    if (value !== undefined) return value
  }
  if (name === nil || name === t || name.name.startsWith(':')) return name
  const value = variables.get(name.name)
  if (value === undefined) throw new LispError(`the variable ${name.name} is not known here`)
  return value(world)
}

const systems: Record<string, string> = { linux: 'gnu/linux', win32: 'windows-nt' }

const variables = new Map<string, (world: LispWorld) => Lisp>([
  ['default-directory', ({ file }) => fileNameDirectory(file) ?? '/'],
  ['buffer-file-name', ({ file }) => file],
  ['system-type', ({ platform }) => symbol(systems[platform] ?? platform)],
  ['user-emacs-directory', () => '~/.emacs.d/'],
  ['org-directory', () => '~/org'],
])

function call(form: Cons, scope: Scope | null, run: Run): Lisp {
  const rest = elements(form.cdr)
  if (rest === null) throw new LispError(`${printLisp(form)} ends in a dot`)
  if (form.car instanceof LispSymbol) {
    const special = specials.get(form.car.name)
    if (special !== undefined) return special(rest, scope, run)
    if (!functions.has(form.car.name)) throw unknown(form.car)
  }
  const values = rest.map((argument) => evaluate(argument, scope, run))
  return apply(form.car, values, scope, run)
}

function apply(called: Lisp, values: Lisp[], scope: Scope | null, run: Run): Lisp {
  if (called instanceof LispSymbol) {
    const known = functions.get(called.name)
    if (known === undefined) throw unknown(called)
    return known(values, run, scope)
  }
  const [head, parameters, ...body] = elements(called) ?? []
  if (head !== symbol('lambda') || parameters === undefined) {
    throw new LispError(`${printLisp(called)} is no function`)
  }
  const names = (elements(parameters) ?? []).map((name) => (name as LispSymbol).name)
  if (names.length !== values.length || names.some((name) => name === undefined)) {
    throw new LispError(`${printLisp(called)} takes other arguments`)
  }
  const bound = new Map(names.map((name, index) => [name, values[index]!]))
  return progn(body, { names: bound, outer: scope }, run)
}

function unknown({ name }: LispSymbol): LispError {
  return new LispError(`the function ${name} is not known here`)
}

function progn(forms: readonly Lisp[], scope: Scope | null, run: Run): Lisp {
  let value: Lisp = nil
  for (const form of forms) value = evaluate(form, scope, run)
  return value
}

type Special = (forms: Lisp[], scope: Scope | null, run: Run) => Lisp

const specials = new Map<string, Special>([
  ['quote', ([form]) => form ?? nil],
  ['function', ([form]) => form ?? nil],
  ['lambda', (forms) => listOf([symbol('lambda'), ...forms])],
  ['`', ([form], scope, run) => backquote(form ?? nil, scope, run)],
  ['progn', progn],
  ['if', ifForm],
  [
    'when',
    ([test, ...body], ...at) => ifForm([test!, new Cons(symbol('progn'), listOf(body))], ...at),
  ],
  ['unless', ([test, ...body], ...at) => ifForm([test!, nil, ...body], ...at)],
  ['or', (forms, ...at) => firstValue(forms, (value) => value !== nil, ...at)],
  [
    'and',
    (forms, ...at) => (forms.length === 0 ? t : firstValue(forms, (value) => value === nil, ...at)),
  ],
  ['cond', cond],
  ['let', (forms, ...at) => letForm(forms, false, ...at)],
  ['let*', (forms, ...at) => letForm(forms, true, ...at)],
])

function ifForm([test, yes, ...no]: Lisp[], scope: Scope | null, run: Run): Lisp {
  return evaluate(test ?? nil, scope, run) === nil
    ? progn(no, scope, run)
    : evaluate(yes ?? nil, scope, run)
}

function firstValue(
  forms: readonly Lisp[],
  isEnd: (value: Lisp) => boolean,
  scope: Scope | null,
  run: Run,
): Lisp {
  let value: Lisp = nil
  for (const form of forms) {
    value = evaluate(form, scope, run)
    if (isEnd(value)) return value
  }
  return value
}

function cond(clauses: readonly Lisp[], scope: Scope | null, run: Run): Lisp {
  for (const clause of clauses) {
    const [test, ...body] = elements(clause) ?? []
    const value = evaluate(test ?? nil, scope, run)
    if (value !== nil) return body.length === 0 ? value : progn(body, scope, run)
  }
  return nil
}

function letForm(
  [bindings, ...body]: Lisp[],
  sequential: boolean,
  scope: Scope | null,
  run: Run,
): Lisp {
  const names = new Map<string, Lisp>()
  const inner = { names, outer: scope }
  for (const binding of elements(bindings ?? nil) ?? []) {
    const [name, form] = binding instanceof LispSymbol ? [binding] : (elements(binding) ?? [])
    if (!(name instanceof LispSymbol)) throw new LispError(`${printLisp(binding)} binds nothing`)
    names.set(name.name, evaluate(form ?? nil, sequential ? inner : scope, run))
  }
  return progn(body, inner, run)
}

function backquote(form: Lisp, scope: Scope | null, run: Run): Lisp {
  if (!(form instanceof Cons)) return form
  if (form.car === symbol(',')) return evaluate((form.cdr as Cons).car, scope, run)
  const { car, cdr } = form
  const rest = backquote(cdr, scope, run)
  if (!(car instanceof Cons && car.car === symbol(',@'))) {
    return new Cons(backquote(car, scope, run), rest)
  }
  const spliced = elements(evaluate((car.cdr as Cons).car, scope, run))
  if (spliced === null) throw new LispError('what is spliced in has to be a list')
  return listOf(spliced, rest)
}

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

type Known = (values: Lisp[], run: Run, scope: Scope | null) => Lisp

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
  [
    'mapcar',
    ([f, a], run, scope) => listOf(list(a).map((value) => apply(f!, [value], scope, run))),
  ],
  ['funcall', ([f, ...values], run, scope) => apply(f!, values, scope, run)],
  [
    'apply',
    ([f, ...values], run, scope) =>
      apply(f!, [...values.slice(0, -1), ...list(values.at(-1))], scope, run),
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
    ([f, a, separator], run, scope) =>
      join(
        list(a).map((value) => apply(f!, [value], scope, run)),
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

const here = ({ world }: Run) => fileNameDirectory(world.file) ?? '/'
const expand = ([name, folder]: Lisp[], run: Run) => {
  const { home } = run.world
  const base = folder === undefined || folder === nil ? here(run) : text(folder)
  return expandFileName(text(name), expandFileName(base, here(run), home), home)
}
const asFolder = (name: string) => (name === '' ? './' : name.replace(/\/?$/, '/'))

const onFiles: [string, Known][] = [
  ['expand-file-name', expand],
  ['file-truename', expand],
  ['file-name-directory', ([a]) => orNil(fileNameDirectory(text(a)))],
  ['file-name-nondirectory', ([a]) => fileNameNondirectory(text(a))],
  ['file-name-sans-extension', ([a]) => withoutExtension(text(a))],
  ['file-name-extension', ([a]) => orNil(fileExtension(fileNameNondirectory(text(a))))],
  [
    'file-name-base',
    ([a], run) => withoutExtension(fileNameNondirectory(text(a ?? run.world.file))),
  ],
  ['file-name-as-directory', ([a]) => asFolder(text(a))],
  ['directory-file-name', ([a]) => text(a).replace(/(?<=.)\/+$/, '')],
  ['file-name-concat', (values) => concatNames(values.filter((value) => value !== nil).map(text))],
  ['file-name-absolute-p', ([a]) => truth(/^[/~]/.test(text(a)))],
  [
    'file-relative-name',
    ([a, folder], run) => relativeFileName(expand([a!], run), expand([folder ?? ''], run)),
  ],
  ['buffer-file-name', (_, run) => run.world.file],
  ['getenv', ([a], run) => orNil(run.world.env[text(a)] ?? null)],
  [
    'org-entry-get',
    ([, name, inherit], run) =>
      orNil(run.world.property?.(text(name), inherit !== undefined && inherit !== nil) ?? null),
  ],
  ['format-time-string', ([pattern], run) => formatTime(text(pattern), run.world.clock)],
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

const functions = new Map<string, Known>([
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
