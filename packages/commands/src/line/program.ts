import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** An option of a program, with the type of the value that it has for whoever runs the program. */
export interface Option<T = unknown> {
  about: string
  /** What stands for the value in the help; null for an option without one. */
  value: string | null
  short?: string
  /** Whether it may be given more than once. */
  isList?: true
  /** The values that there are, when they can be counted. */
  among?: readonly string[]
  /** The value of these texts, one for each time that it was given. Throws a UsageError. */
  read(texts: readonly string[], name: string): T
}

/** An option that is there or not. */
export function flag(about: string, short?: string): Option<boolean> {
  const read = (texts: readonly string[]) => texts.length > 0
  return { about, value: null, read, ...(short === undefined ? {} : { short }) }
}

/** An option with a text; undefined when it was not given. */
export function text(value: string, about: string): Option<string | undefined> {
  return { about, value, read: (texts) => texts.at(-1) }
}

/** An option that may be given more than once. */
export function texts(value: string, about: string): Option<readonly string[]> {
  return { about, value, isList: true, read: (given) => given }
}

/** An option with a whole number; `usual` when it was not given. */
export function count<T extends number | undefined>(
  value: string,
  about: string,
  usual: T,
  short?: string,
): Option<number | T> {
  const read = ([given]: readonly string[], name: string) => {
    if (given === undefined) return usual
    if (/^\d{1,9}$/.test(given)) return Number(given)
    throw new UsageError(`--${name} takes a whole number, and ${given} is none`)
  }
  const shown = usual === undefined ? about : `${about} (${usual})`
  return { about: shown, value, read, ...(short === undefined ? {} : { short }) }
}

/** An option with one of a few words; the first when it was not given. */
export function choice<const T extends string>(
  among: readonly [T, ...T[]],
  about: string,
): Option<T> {
  const read = ([given]: readonly string[], name: string) => {
    const found = given === undefined ? among[0] : among.find((word) => word === given)
    if (found !== undefined) return found
    throw new UsageError(`--${name} takes one of ${among.join(', ')}; ${given} is none of them`)
  }
  return { about: `${about} (${among[0]})`, value: among.join('|'), among, read }
}

/** The options of a program, by their names without dashes. */
export type Options = Record<string, Option>

/** The values of options. */
export type Values<O> = { [K in keyof O]: O[K] extends Option<infer T> ? T : never }

/** The environment of a process. */
export type Environment = Record<string, string | undefined>

/** What a program gets beside its words. */
export interface Context {
  env: Environment
  now: Date
  /** Reads a secret that is typed or piped in; `name` is what is asked for. */
  secret: (name: string) => Promise<string>
  daemon: Daemon
  /** Columns to cut lines at, or null, and whether colours are shown. */
  terminal: { width: number | null; colours: boolean }
}

/** A running daemon, as far as programs talk to it; each answer is null when none runs. */
export interface Daemon {
  /** Says a sentence as its owner. `success` is how an answer reads when it was done; with `isConfirmed` a question is answered with yes. */
  say(
    sentence: string,
    wishes: { isJson: boolean; success?: RegExp; isConfirmed?: boolean },
  ): Promise<Answer | null>
  /** Sends an event; resolves to the lines of the answer and whether a question waits. */
  tell(payload: { sensor: string; [field: string]: unknown }): Promise<Reply | null>
}

/** What a daemon has answered to an event. */
export interface Reply {
  lines: string[]
  isWaiting: boolean
}

/** What was typed, read. */
export interface Given<V = Record<never, never>> extends Context {
  words: readonly string[]
  options: V
}

/** What a program has to say. */
export interface Answer {
  text: string
  /** The same for `--json`: one value, or in `rows` one on each line; without either it is `{"said": text}`. */
  data?: unknown
  rows?: readonly unknown[]
  code?: number
}

/** A word of the command line. */
export interface Program<O extends Options = Options> {
  name: string
  /** One line, in lower case, without a full stop. */
  summary: string
  /** The heading in the help that it stands under. */
  section?: string
  /** Its arguments, such as `NAME [VERSION]`. */
  usage?: string
  options?: O
  /** Sentences for its help. */
  about?: string
  /** Lines as they are typed, behind `passepartout`. */
  examples?: readonly string[]
  /** The exit codes that say more than done, not possible and not understood. */
  exits?: Readonly<Record<number, string>>
  /** Whether a word that begins with one dash is an argument when it is no option. */
  takesDashes?: true
  run?: (given: Given<Values<O>>) => Promise<Answer>
  programs?: readonly Program[]
  /** The program below that is meant when none is named. */
  usual?: string
}

/** The program as one of many, whose options only it knows. */
export function defineProgram<const O extends Options = Record<never, never>>(
  program: Program<O>,
): Program {
  return program as unknown as Program
}

/** The words were not understood. */
export class UsageError extends Error {}

/** It could not be done; `code` is the exit code. */
export class ProgramError extends Error {
  readonly code: number

  constructor(message: string, code = 1, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A program, with the words that lead to it. */
export interface Found {
  path: readonly string[]
  program: Program
}

interface Followed extends Found {
  rest: readonly string[]
}

async function follow(found: Found, words: readonly string[]): Promise<Followed> {
  const { path, program } = found
  const below = program.programs
  const [word, ...rest] = words
  if (below === undefined || isHelp(word)) return { ...found, rest: words }
  const isUsual = program.usual !== undefined && (word ?? '-').startsWith('-')
  const name = isUsual ? program.usual : word
  if (name === undefined) return { ...found, rest: words }
  const next = below.find((each) => each.name === name)
  if (next !== undefined) {
    return await follow({ path: [...path, name], program: next }, isUsual ? words : rest)
  }
  if (program.run !== undefined) return { ...found, rest: words }
  const kind = name.startsWith('-') ? 'option' : 'command'
  const names = below.map((each) => each.name)
  throw new UsageError(`there is no ${kind} ${name}${await meant(name, names)}`, { cause: found })
}

const isHelp = (word: string | undefined) => word === '-h' || word === '--help'

async function meant(name: string, known: readonly string[]): Promise<string> {
  const { nearestName } = await import('@passepartout/core/contract')
  const near = nearestName(name, known)
  if (near === null) return ''
  return `; did you mean ${name.startsWith('--') ? '--' : ''}${near}?`
}

const help = flag('print this text', 'h')

function nodeOptions(options: Options): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries(options).map(([name, { short, value }]) => [
      name,
      {
        type: value === null ? 'boolean' : 'string',
        multiple: true,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  )
}

async function parse(
  { options: own = {}, takesDashes, usage = '' }: Program,
  words: readonly string[],
): Promise<{ words: string[]; options: Record<string, unknown>; isHelp: boolean }> {
  const options: Options = { ...own, help }
  const args = takesDashes === true ? words.map((word) => shielded(word, options)) : [...words]
  const settings = { args, options: nodeOptions(options), strict: false, tokens: true } as const
  const given = new Map<string, string[]>()
  const positionals: string[] = []
  for (const token of parseArgs(settings).tokens) {
    if (token.kind === 'positional') positionals.push(token.value.replace(/^\0/, ''))
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined) {
      const near = rawName.startsWith('--') ? await meant(rawName, Object.keys(options)) : ''
      throw new UsageError(`there is no option ${rawName}${near}`)
    }
    const isSwallowed = token.inlineValue === false && /^-./.test(value ?? '')
    if (option.value !== null && (value === undefined || isSwallowed))
      throw new UsageError(`${rawName} needs a value: ${option.value}`)
    if (option.value === null && value !== undefined)
      throw new UsageError(`${rawName} takes no value`)
    given.set(name, [...(given.get(name) ?? []), value ?? ''])
  }
  if (given.has('help')) return { words: [], options: {}, isHelp: true }
  await checkArguments(usage, positionals)
  const values = Object.entries(own).map(([name, option]) => {
    return [name, option.read(given.get(name) ?? [], name)]
  })
  return { words: positionals, options: Object.fromEntries(values), isHelp: false }
}

function shielded(word: string, options: Options): string {
  if (!/^-[^-]/.test(word)) return word
  const isOwn = Object.values(options).some(({ short }) => word === `-${short}`)
  return isOwn ? word : `\0${word}`
}

/** An argument, as its usage has it. */
export interface Argument {
  name: string
  isOptional: boolean
  isRest: boolean
  /** The words that it can be; empty when it can be any. */
  among: readonly string[]
}

/** The arguments of a line such as `NAME [VERSION]`. */
export function argumentsOf(usage = ''): Argument[] {
  return usage.split(' ').flatMap((part) => {
    const name = part.replace(/^\[|\]$/g, '').replace(/\.{3}$/, '')
    if (name === '') return []
    const among = /^[a-z-]+(?:\|[a-z-]+)+$/.test(name) ? name.split('|') : []
    return [{ name, isOptional: part.startsWith('['), isRest: /\.{3}\]?$/.test(part), among }]
  })
}

async function checkArguments(usage: string, words: readonly string[]): Promise<void> {
  const wanted = argumentsOf(usage)
  for (const [at, { among, isOptional, name }] of wanted.entries()) {
    const word = words[at]
    if (word === undefined && !isOptional) throw new UsageError(`${name} is missing`)
    if (word === undefined || among.length === 0 || among.includes(word)) continue
    const near = await meant(word, among)
    throw new UsageError(`expected one of ${among.join(', ')}, got ${word}${near}`)
  }
  if (words.length > wanted.length && wanted.at(-1)?.isRest !== true)
    throw new UsageError(`expected at most ${wanted.length} words, got ${words.length}`)
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(28, Math.max(0, ...rows.map(([left]) => left.length)))
  return rows.map(([left, right]) => {
    const gap = left.length > width ? `\n  ${' '.repeat(width)}` : ' '.repeat(width - left.length)
    return `  ${left}${gap}  ${right}`.trimEnd()
  })
}

/** How an option is written, such as `-n, --lines NUMBER`. */
export function written(name: string, { short, value }: Option): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === null ? '' : ` ${value}`}`
}

/** The line of usage. */
export function usageOf({ path, program }: Found): string {
  const { options = {}, programs, usage = '' } = program
  const below =
    programs === undefined ? [] : [program.usual === undefined ? 'COMMAND' : '[COMMAND]']
  const own = Object.keys(options).length === 0 ? [] : ['[OPTIONS]']
  return [...path, ...below, ...own, usage].filter((part) => part !== '').join(' ')
}

/** What `--help` prints. */
export function helpOf(found: Found): string {
  const { path, program } = found
  const { about, examples = [], exits = {}, options = {}, programs = [], summary } = program
  const paragraphs = [`Usage: ${usageOf(found)}`, sentence(summary)]
  if (about !== undefined) paragraphs.push(about.trimEnd())
  for (const [title, each] of Map.groupBy(programs, ({ section = 'Commands' }) => section)) {
    const rows = each.map(({ name, summary: what, usage = '' }) => {
      return [path.length === 1 ? name : `${name} ${usage}`.trim(), what] as const
    })
    paragraphs.push([`${title}:`, ...columns(rows)].join('\n'))
  }
  if (programs.length > 0) paragraphs.push(`More of one: ${path.join(' ')} COMMAND --help`)
  const rows = Object.entries({ ...options, help }).map(([name, option]) => {
    return [written(name, option), option.about] as const
  })
  if (programs.length === 0) paragraphs.push(['Options:', ...columns(rows)].join('\n'))
  const lines = examples.map((line) => `  ${path[0]} ${line}`)
  if (lines.length > 0) paragraphs.push(['Examples:', ...lines].join('\n'))
  const codes = Object.entries(exits).map(([code, what]) => `${code} ${what}`)
  if (codes.length > 0) paragraphs.push(`Exit codes: ${codes.join(', ')}.`)
  return `${paragraphs.join('\n\n')}\n`
}

/** The summary as a sentence. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/[.]$/, '')}.`
}

/** All programs of a tree, each before those below it. */
export function programsIn(program: Program, path: readonly string[] = [program.name]): Found[] {
  const below = program.programs ?? []
  return [{ path, program }, ...below.flatMap((each) => programsIn(each, [...path, each.name]))]
}

/** What came of the words: the exit code, and what goes to standard output and error. */
export interface Outcome {
  code: number
  out: string
  err: string
}

const nobody: Context = {
  env: {},
  now: new Date(0),
  secret: async (name) => (await import('./typed-secret.ts')).readTypedSecret(name),
  daemon: { say: async () => null, tell: async () => null },
  terminal: { width: null, colours: false },
}

/** Does what the words say, in a tree of programs. Never rejects. */
export async function runProgram(
  root: Program,
  words: readonly string[],
  context: Partial<Context>,
): Promise<Outcome> {
  let found: Found = { path: [root.name], program: root }
  try {
    const [first, ...asked] = words
    const isAsked = first === 'help' && root.programs !== undefined
    const { rest, ...next } = await follow(found, isAsked ? asked : words)
    found = next
    const { program } = found
    const isGroup = program.run === undefined
    if (isAsked || isHelp(rest[0])) return { code: 0, out: helpOf(found), err: '' }
    if (isGroup) return { code: 2, out: '', err: helpOf(found) }
    const { isHelp: wantsHelp, ...typed } = await parse(program, rest)
    if (wantsHelp) return { code: 0, out: helpOf(found), err: '' }
    const answer = await program.run!({ ...nobody, now: new Date(), ...context, ...typed })
    return { code: answer.code ?? 0, out: printed(answer, typed.options.json === true), err: '' }
  } catch (error) {
    return failed(error, found, root)
  }
}

function printed({ data, rows, text: plain }: Answer, isJson: boolean): string {
  if (isJson && rows !== undefined) return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  if (isJson) return `${JSON.stringify(data ?? { said: plain.trimEnd() }, null, 2)}\n`
  return plain === '' || plain.endsWith('\n') ? plain : `${plain}\n`
}

function failed(error: unknown, found: Found, root: Program): Outcome {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof UsageError)) {
    const code = error instanceof ProgramError ? error.code : 1
    return { code, out: '', err: `${root.name}: ${message}\n` }
  }
  const at = (error.cause as Found | undefined) ?? found
  const more = `Usage: ${usageOf(at)}\nMore: ${at.path.join(' ')} --help\n`
  return { code: 2, out: '', err: `${at.path.join(' ')}: ${message}\n${more}` }
}
