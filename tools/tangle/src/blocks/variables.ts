import { splitBalanced } from 'org-ast'
import { readArgument } from './evaluate.ts'
import { Cons, elements, type Lisp, listOf, nil, printLisp, readLisp, symbol } from './lisp.ts'
import { LispError } from './lisp-functions.ts'
import { type Library, resolveReference } from './references.ts'

/** A variable with its value. */
export interface Variable {
  name: string
  value: Lisp
}

function merge(values: readonly string[]): Map<string, string> {
  const merged = new Map<string, string>()
  let position = 0
  for (const value of values.flatMap(splitAssignments)) {
    const name = /^([^= \f\t\n\r\v]+)[ \t]*=/.exec(value)?.[1]
    if (name !== undefined) {
      merged.delete(name)
      merged.set(name, value)
      continue
    }
    const at = [...merged.keys()][position++]
    if (at === undefined) throw new LispError(`the variable ${value} has no value`)
    merged.set(at, `${at}=${value}`)
  }
  return merged
}

function splitAssignments(value: string): string[] {
  const joined: string[] = []
  for (const part of splitBalanced(value, ' ')) {
    const last = joined.at(-1)
    if (last !== undefined && (last.endsWith('=') || part.startsWith('='))) {
      joined[joined.length - 1] = last + part
    } else joined.push(part)
  }
  return joined.map((part) => part.trim())
}

/** The variables that `:var` arguments assign. Throws a LispError for a value that cannot be had. */
export function variablesOf(
  values: readonly string[],
  argument: (key: string) => string | undefined,
  library: Library,
): Variable[] {
  return [...merge(values)].map(([name, assignment]) => {
    const right = assignment.slice(assignment.indexOf('=') + 1).trim()
    const read = readArgument(right, library.world)
    const value = read === right ? named(right, library) : read
    return { name, value: withoutHeaders(value, argument) }
  })
}

function named(right: string, library: Library): Lisp {
  if (!/^".*"$/s.test(right)) return resolveReference(right, library)
  const read = readLisp(right)
  if (read === null) throw new LispError(`${right} is no string`)
  return read.value
}

function withoutHeaders(value: Lisp, argument: (key: string) => string | undefined): Lisp {
  let rows = elements(value)
  if (rows === null) return value
  const hline = symbol('hline')
  const colnames = argument('colnames')
  const looksTitled =
    rows.length > 1 && rows[0] !== hline && rows[1] === hline && !rows.slice(2).includes(hline)
  if (colnames !== 'no' && (colnames !== undefined || looksTitled)) {
    while (rows[0] === hline) rows = rows.slice(1)
    rows = rows.slice(rows[1] === hline ? 2 : 1)
  }
  if ((argument('rownames') ?? 'no') !== 'no') {
    rows = rows.filter((row) => row !== hline).map((row) => (row instanceof Cons ? row.cdr : row))
  }
  if ((argument('hlines') ?? 'no') !== 'yes') rows = rows.filter((row) => row !== hline)
  return listOf(rows)
}

/** What variables add to a block: lines before it, or something around it. */
type Assignments = { kind: 'lines'; lines: string[] } | { kind: 'let'; head: string; tail: string }

/** The assignments in a language. Throws a LispError for one that is not handled. */
export function assignments(
  language: string,
  variables: readonly Variable[],
  argument: (key: string) => string | undefined,
): Assignments {
  if (language === 'emacs-lisp' || language === 'elisp') {
    const pairs = variables.map(({ name, value }) => `(${name} '${printLisp(value)})`)
    return { kind: 'let', head: `(let (${pairs.join('\n      ')})\n`, tail: '\n)' }
  }
  if (shells.has(language)) {
    return { kind: 'lines', lines: variables.map((each) => shellLine(language, each, argument)) }
  }
  const write = writers[language]
  if (write === undefined) throw new LispError(`:var is not handled for ${language}`)
  return { kind: 'lines', lines: variables.map(({ name, value }) => write(name, value)) }
}

type Writer = (name: string, value: Lisp) => string

function nested(
  value: Lisp,
  between: string,
  brackets: string,
  one: (value: Lisp) => string,
): string {
  const list = elements(value)
  if (list === null) return one(value)
  const inner = list.map((each) => nested(each, between, brackets, one)).join(between)
  return `${brackets.slice(0, brackets.length / 2)}${inner}${brackets.slice(brackets.length / 2)}`
}

const python = (value: Lisp) => {
  if (value === symbol('hline')) return 'None'
  const shown = printLisp(value)
  return typeof value === 'string' && /[\n\r]/.test(value) ? `""${shown}""` : shown
}
const javascript = (value: Lisp) => printLisp(value).replaceAll('\n', '\\n')
const ruby = (value: Lisp) => (value === symbol('hline') ? 'nil' : printLisp(value))

function octave(value: Lisp): string {
  const list = elements(value)
  if (list === null) return typeof value === 'string' ? `'${value}'` : printLisp(value, false)
  const rows = list[0] === nil || list[0] instanceof Cons
  return `[${list.map(octave).join(rows ? '; ' : ',')}]`
}

function lua(value: Lisp): string {
  const list = elements(value)
  if (value === symbol('hline')) return 'None'
  if (list === null) {
    return typeof value === 'string' && /[\n\r]/.test(value) ? `[=[${value}]=]` : printLisp(value)
  }
  const [first, second] = list
  const flat = first !== undefined && elements(first) === null
  if (flat && list.length === 1) return lua(first)
  if (flat && list.length === 2) return `${printLisp(first, false)}=${lua(listOf([second!]))}`
  return `{${list.map(lua).join(', ')}}`
}

const writers: Record<string, Writer> = {
  python: (name, value) => `${name}=${nested(value, ', ', '[]', python)}`,
  lua: (name, value) => `${name}=${lua(value)}`,
  js: (name, value) => `var ${name}=${nested(value, ', ', '[]', javascript)};`,
  ruby: (name, value) => `${name}=${nested(value, ', \n', '[]', ruby)}`,
  haskell: (name, value) => `let ${name} = ${nested(value, ', ', '[]', printLisp)}`,
  ocaml: (name, value) => `let ${name} = ${nested(value, '; ', '[||]', printLisp)};;`,
  octave: (name, value) => `${name}=${octave(value)};`,
  matlab: (name, value) => `${name}=${octave(value)};`,
  perl: (name, value) =>
    `my $${name}=${value instanceof Cons || value === nil ? '\n' : ''}${perl(value, 0)};\n`,
}

function perl(value: Lisp, level: number): string {
  const indent = '  '.repeat(level)
  const list = elements(value)
  const inner = list?.map((each) => perl(each, level + 1)).join('')
  const shown = inner === undefined ? `q(${printLisp(value, false)})` : `[\n${inner}${indent}]`
  return `${indent}${shown}${level > 0 ? ',\n' : ''}`
}

const shells = new Set([
  'sh',
  'bash',
  'zsh',
  'fish',
  'csh',
  'ash',
  'dash',
  'ksh',
  'mksh',
  'posh',
  'shell',
])

function shellLine(
  language: string,
  { name, value }: Variable,
  argument: (key: string) => string | undefined,
): string {
  const separator = argument('separator') ?? '\t'
  const hline = argument('hlines') === 'yes' ? (argument('hline-string') ?? 'hline') : null
  const quoted = (part: Lisp) => `'${shellText(part, separator, hline).replaceAll("'", `'"'"'`)}'`
  if (language === 'fish') return `set ${name} ${quoted(value)}`
  if (language === 'bash' && value instanceof Cons) {
    if (value.car instanceof Cons && value.car.cdr instanceof Cons) {
      const pairs = elements(value)!.map((row) => {
        const { car, cdr } = row instanceof Cons ? row : { car: row, cdr: nil }
        return `${name}[${quoted(car)}]=${quoted(cdr)}`
      })
      return `unset ${name}\ndeclare -A ${name}\n${pairs.join('\n')}`
    }
    return `unset ${name}\ndeclare -a ${name}=( ${elements(value)!.map(quoted).join(' ')} )`
  }
  return `${name}=${quoted(value)}`
}

function shellText(value: Lisp, separator: string, hline: string | null): string {
  const echo = (each: Lisp) => (typeof each === 'string' ? each : printLisp(each))
  const list = elements(value)
  if (list === null) return echo(value)
  const first = list[0] ?? nil
  if (first !== symbol('hline') && elements(first) === null) return list.map(echo).join('\n')
  const rows = list.flatMap((row) => {
    if (row === symbol('hline')) return hline === null ? [] : [hline]
    return [(elements(row) ?? []).map(echo).join(separator)]
  })
  return rows.join('\n')
}
