import { z } from 'zod'
import { type RuleExamples, readRules } from '../paths/rule-table.ts'
import { type Field, plainField } from './words.ts'

/** What an argument is for its program. */
export type Role =
  /** A text that is compared, printed or counted with. */
  | 'text'
  /** A text that is searched for; a file when the shell expands it. */
  | 'pattern'
  /** A file whose content is read. */
  | 'path'
  /** A file or folder of which only names and sizes are read. */
  | 'name'
  /** A folder through which a program walks, reading. */
  | 'tree'
  /** A program in a small language, checked by a function of its own. */
  | 'script'
  /** A revision of a repository, or a path in it. */
  | 'revision'

/** Which options and operands of a program are understood. */
export interface OptionRule {
  options: string
  operands: string
  /** Options without which no operand is understood, as `--list` for `git branch`. */
  lists?: string
  /** Options that take the place of the first operand, as `-e` for `grep`. */
  instead?: string
  /** Options that make the program walk: paths become trees. */
  walks?: string
  /** Options of which one has to be there: bare `crontab` installs what it reads. */
  needs?: string
  /** The least number of operands; 0 when absent. */
  least?: number
  /** What every operand must look like. */
  shape?: RegExp
  /** No option of the program, listed or not, does more than print; a name may look like one. */
  harmless?: boolean
}

/** An argument with its role. */
export interface Argument {
  role: Role
  field: Field
  /** The option it belongs to; null for an operand. */
  option: string | null
}

/** A program with the options that are understood, and examples: command lines that pass, and that ask. */
export interface ProgramRule extends OptionRule, RuleExamples {
  /** Further names of the program, with the same options. */
  also?: string
  /** The words of which one has to come first. */
  first?: string
}

const cells = z.strictObject({ program: z.string(), options: z.string(), operands: z.string() })

const roles = new Set(['text', 'pattern', 'path', 'name', 'tree', 'script', 'revision'])
const lists = ['operands', 'also', 'first', 'instead', 'walks', 'lists', 'needs'] as const
const keys = new Set<string>([...lists, 'only', 'like', 'least', 'harmless'])

/** The programs of a table, by name. Throws a RangeError for a row that is wrong. */
export function readPrograms(table: string, text: string): Record<string, ProgramRule> {
  const rules = readRules(table, text, cells, ({ program, options, operands }, examples) => {
    const [name = '', ...others] = program.split(' ')
    const said = wordsByKey(operands)
    said.set('also', [...others, ...(said.get('also') ?? [])])
    const rule: ProgramRule = { options, operands: '', ...examples }
    for (const key of lists) {
      const words = said.get(key) ?? []
      if (words.length > 0) rule[key] = words.join(' ')
    }
    const words = (said.get('only') ?? []).map((word) => word.replace(/[^\w-]/g, '\\$&'))
    const shapes = [...words, ...(said.get('like') ?? [])]
    if (shapes.length > 0) rule.shape = new RegExp(`^(?:${shapes.join('|')})$`)
    if (said.has('least')) rule.least = Number(said.get('least'))
    if (said.has('harmless')) rule.harmless = true
    return [name, rule] as const
  })
  return Object.fromEntries(rules)
}

/** The words of the column of operands, by the word of ours that they stand behind. */
function wordsByKey(operands: string): Map<string, string[]> {
  const said = new Map<string, string[]>()
  let key = 'operands'
  for (const word of operands.split(' ')) {
    if (keys.has(word)) {
      key = word
      said.set(key, said.get(key) ?? [])
    } else if (key !== 'operands') said.get(key)!.push(word)
    else if (roles.has(word.replace('*', ''))) said.set(key, [...(said.get(key) ?? []), word])
    else if (word !== '') throw new RangeError(`${word} is no role, and says nothing else`)
  }
  return said
}

/** The rules of these programs by each of their names. */
export function byEachName(table: Readonly<Record<string, ProgramRule>>): Map<string, ProgramRule> {
  return new Map(
    Object.entries(table).flatMap(([name, rule]) =>
      [name, ...(rule.also?.split(' ') ?? [])].map((each) => [each, rule] as const),
    ),
  )
}

interface CompiledOptions {
  /** By option: its value's role, or null for a flag, and whether the value is optional. */
  known: Map<string, { role: Role | null; optional: boolean }>
  numbers: boolean
  operands: Role[]
  repeats: boolean
}

const compiled = new WeakMap<OptionRule, CompiledOptions>()

function compile(rule: OptionRule): CompiledOptions {
  const before = compiled.get(rule)
  if (before !== undefined) return before
  const known: CompiledOptions['known'] = new Map()
  for (const token of rule.options.split(' ')) {
    const kind = /[:@?]$/.exec(token)?.[0] ?? ''
    const text = kind === '' ? token : token.slice(0, -1)
    const name = text.replace(/^=/, '')
    const role = kind === '' ? null : kind === '@' ? 'path' : 'text'
    const isOne = name.startsWith('--') || text !== name
    const names = isOne ? [name] : [...name.slice(1)].map((letter) => `-${letter}`)
    for (const option of names) known.set(option, { role, optional: kind === '?' })
  }
  const operands = rule.operands.split(' ').filter((role) => role !== '')
  const result: CompiledOptions = {
    known,
    numbers: rule.options.split(' ').includes('-#'),
    operands: operands.map((role) => role.replace('*', '') as Role),
    repeats: operands.at(-1)?.endsWith('*') === true,
  }
  compiled.set(rule, result)
  return result
}

/** The arguments with their roles, or the word that the rule does not know. */
export function readOptions(
  rule: OptionRule,
  fields: readonly Field[],
  seen: Set<string> = new Set(),
): Argument[] | string {
  const read: Reading = { rule, compiled: compile(rule), found: [], operands: [], seen }
  let ended = false
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index]
    if (field === undefined) break
    const { value } = field
    if (ended || value === '-' || !value.startsWith('-')) {
      if (!ended && mayBeOption(field) && rule.harmless !== true) return value
      read.operands.push(field)
    } else if (value === '--' && field.known) ended = true
    else {
      const used = readOption(read, field, fields[index + 1])
      if (used === null) return value
      index += used
    }
  }
  return giveRoles(read)
}

interface Reading {
  rule: OptionRule
  compiled: CompiledOptions
  found: Argument[]
  operands: Field[]
  seen: Set<string>
}

function mayBeOption({ value, glob, splits, word }: Field): boolean {
  if (word === true) return splits
  return value.startsWith('\0') || splits || (glob && /^[*?[]/.test(value))
}

function readOption(read: Reading, field: Field, next: Field | undefined): 0 | 1 | null {
  const { value } = field
  if (value.startsWith('--')) return readLong(read, field, next)
  if (value.slice(0, 2).includes('\0') || field.varying || field.glob || field.splits) return null
  if (read.compiled.known.has(value) && value.length > 2) return readLong(read, field, next)
  if (/^-\d+$/.test(value)) {
    read.seen.add(value)
    return read.compiled.numbers ||
      [...value.slice(1)].every((digit) => read.compiled.known.has(`-${digit}`))
      ? 0
      : null
  }
  for (let at = 1; at < value.length; at++) {
    const option = `-${value[at]}`
    const known = read.compiled.known.get(option)
    if (known === undefined) return null
    read.seen.add(option)
    if (known.role === null) continue
    const rest = value.slice(at + 1)
    if (rest !== '') {
      read.found.push({ role: known.role, field: { ...field, value: rest }, option })
      return 0
    }
    if (known.optional) return 0
    if (next === undefined || next.splits) return null
    read.found.push({ role: known.role, field: next, option })
    return 1
  }
  return field.known ? 0 : null
}

function readLong(read: Reading, field: Field, next: Field | undefined): 0 | 1 | null {
  const equals = field.value.indexOf('=')
  const option = equals === -1 ? field.value : field.value.slice(0, equals)
  const known = read.compiled.known.get(option)
  if (known === undefined || field.varying) return null
  read.seen.add(option)
  if (known.role === null) return equals === -1 && field.known ? 0 : null
  if (equals !== -1) {
    if (field.splits) return null
    const value = { ...field, value: field.value.slice(equals + 1) }
    read.found.push({ role: known.role, field: value, option })
    return 0
  }
  if (known.optional) return 0
  if (next === undefined || next.splits) return null
  read.found.push({ role: known.role, field: next, option })
  return 1
}

function giveRoles({ rule, compiled, found, operands, seen }: Reading): Argument[] | string {
  const has = (options: string | undefined) =>
    options?.split(' ').some((option) => seen.has(option)) === true
  const roles = has(rule.instead) ? compiled.operands.slice(1) : compiled.operands
  const first = operands[0]
  if (rule.lists !== undefined && first !== undefined && !has(rule.lists)) return first.value
  if (operands.length < (rule.least ?? 0)) return 'nothing behind it'
  if (rule.needs !== undefined && !has(rule.needs)) return 'nothing behind it'
  const walks = has(rule.walks)
  const given: Argument[] = []
  for (const [index, field] of operands.entries()) {
    const role = roles[index] ?? (compiled.repeats ? compiled.operands.at(-1) : undefined)
    if (role === undefined || rule.shape?.test(field.value) === false) return field.value
    if (field.glob && !compiled.repeats) return field.value
    given.push({ role: walks && role === 'path' ? 'tree' : role, field, option: null })
  }
  return [...found, ...given]
}

/** The options that are given, by name, as the rule reads them; null when it does not understand. */
export function flagsOf(rule: OptionRule, words: readonly string[]): ReadonlySet<string> | null {
  const seen = new Set<string>()
  const fields = words.map((value) => plainField(value))
  return typeof readOptions(rule, fields, seen) === 'string' ? null : seen
}
