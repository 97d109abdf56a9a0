import { fileNameDirectory } from '../project/paths.ts'
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
import { functions, LispError, type LispWorld, sizeMax } from './lisp-functions.ts'

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
    return known(values, run.world, (one, given) => apply(one, given, scope, run))
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
