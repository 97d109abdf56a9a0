import { stripTypeScriptTypes } from 'node:module'
import { Script } from 'node:vm'
import {
  type Action,
  type Actuator,
  defineSkill,
  Jail,
  JailError,
  messageAction,
  type Runtime,
  type Signal,
  type Skill,
  type Tool,
} from '@passepartout/core'
import { isLocalSource } from '@passepartout/gates/actions'
import { placeOf, type Workspace } from '@passepartout/gates/sandbox'
import { z } from 'zod'
import { readText } from '../common/text-files.ts'

function jailed() {
  const { isArray } = Array
  const { assign, keys, getPrototypeOf } = Object
  const quote = JSON.stringify
  const printed: string[] = []
  const state = { isMute: true, isReached: false, result: '', error: '', size: 0 }
  const set = (changes: Partial<typeof state>) => void assign(state, changes)
  const name = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key))
  const list = (parts: unknown[], depth: number, seen: unknown[]) =>
    parts
      .slice(0, 100)
      .map((part) => show(part, depth + 1, seen))
      .join(', ') + (parts.length > 100 ? `, … ${parts.length - 100} more` : '')
  const object = (value: object, depth: number, seen: unknown[]) => {
    const title = getPrototypeOf(value)?.constructor?.name ?? ''
    const all = keys(value)
    const shown = all.slice(0, 100).map((key) => {
      const part = (value as Record<string, unknown>)[key]
      return `${name(key)}: ${show(part, depth + 1, seen)}`
    })
    const more = all.length > 100 ? `, … ${all.length - 100} more` : ''
    const body = all.length === 0 ? '{}' : `{ ${shown.join(', ')}${more} }`
    return title === 'Object' || title === '' ? body : `${title} ${body}`
  }
  const show = (value: unknown, depth = 0, seen: unknown[] = []): string => {
    if (typeof value === 'string') return depth === 0 ? value : quote(value)
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value === 'function') return `[function ${value.name || 'without a name'}]`
    if (typeof value !== 'object' || value === null) return String(value)
    if (value instanceof Error) return `${value.name}: ${value.message}`
    if (seen.includes(value)) return '[circular]'
    if (depth > 4 || ++state.size > 2_000) return '…'
    const around = [...seen, value]
    if (isArray(value)) return `[${list(value, depth, around)}]`
    if (value instanceof Set) return `Set {${list([...value], depth, around)}}`
    if (value instanceof Map) {
      const pairs = [...value].slice(0, 100)
      const text = pairs.map(([key, part]) => `${show(key, 1, around)} → ${show(part, 1, around)}`)
      return `Map {${text.join(', ')}}`
    }
    return object(value, depth, around)
  }
  const print = (...values: unknown[]) => {
    if (state.isMute || printed.length > 500) return
    printed.push(
      values
        .map((value) => show(value))
        .join(' ')
        .slice(0, 2_000),
    )
  }
  return {
    console: { log: print, info: print, warn: print, error: print, debug: print, table: print },
    set,
    result: (value: unknown) => set({ result: show(value).slice(0, 20_000) }),
    variable: (key: string, read: () => unknown) => {
      try {
        printed.push(`${key} = ${show(read(), 1).slice(0, 200)}`)
      } catch {
        printed.push(`${key} is not set`)
      }
    },
    fail: (error: unknown) => {
      set({ error: show(error).slice(0, 2_000) || 'an empty error' })
    },
    report: () => ({ printed, ...state }),
  }
}

interface Input {
  /** JavaScript: statements, and an expression or null. */
  body: string
  value: string | null
}

const cutsMax = 60

/** Reads an input. Throws a SyntaxError with its line in the message. */
function readInput(text: string): Input {
  if (/^\s*(?:import\b(?!\s*\()|export\b)/m.test(text)) {
    throw new SyntaxError('There are no modules here; “:load FILE” reads a file')
  }
  const asObject = expressionOf(`(${text.replace(/;\s*$/, '')}\n)`)
  if (asObject !== null && !declares.test(text)) return { body: '', value: asObject }
  const plain = withoutTypes(text)
  const cuts = [...plain.matchAll(/[;\n]/g)].map(({ index }) => index + 1).slice(-cutsMax)
  for (const cut of cuts) {
    const [body, value] = [plain.slice(0, cut), plain.slice(cut).replace(/;?\s*$/, '')]
    if (value.trim() === '' || declares.test(value) || parses(`${body})(`)) continue
    if (parses(`return (${value}\n)`) && parses(body)) return { body, value: `(${value}\n)` }
  }
  mustParse(plain)
  return { body: plain, value: null }
}

const declares = /^\s*(?:async\s+function|function|class)\b/

function expressionOf(text: string): string | null {
  try {
    const plain = withoutTypes(text)
    return parses(`return ${plain}`) ? plain : null
  } catch {
    return null
  }
}

function withoutTypes(text: string): string {
  try {
    return stripTypeScriptTypes(text)
  } catch (error) {
    throw new SyntaxError(
      String((error as Error).message)
        .trim()
        .split('\n')
        .at(0) ?? '',
    )
  }
}

function parses(body: string): boolean {
  try {
    mustParse(body)
    return true
  } catch {
    return false
  }
}

function mustParse(body: string): void {
  new Script(`(async () => { 'use strict'\n${body}\n})`, { filename: 'input', lineOffset: -1 })
}

const own = '__passepartout'

interface Program {
  code: string
  /** The line of the new input's first line. */
  firstLine: number
}

function programOf(inputs: readonly Input[], fresh: Input, variables: readonly string[]): Program {
  const before = inputs.flatMap(({ body, value }) => ['{', body, value === null ? '' : `;${value}`])
  const lines = [
    `const ${own} = (${jailed.toString()})();`,
    `tool('run', { about: 'Evaluates.' }, async () => { 'use strict';`,
    `const { console } = ${own};`,
    'try {',
    ...before,
    `;${own}.set({ isMute: false });{`,
  ]
  const value = fresh.value === null ? '\n;' : `;${own}.result(await ${fresh.value});`
  const after = [
    ...variables.map((name) => `${own}.variable(${JSON.stringify(name)}, () => ${name});`),
    `${own}.set({ isReached: true });`,
    '}'.repeat(inputs.length + 1),
    `} catch (error) { ${own}.fail(error); throw error }`,
    '})',
    `tool('report', { about: 'Says what came of it.' }, () => ${own}.report())`,
  ]
  const firstLine = lines.join('\n').split('\n').length + 1
  return { code: [...lines, fresh.body + value, ...after].join('\n'), firstLine }
}

/** What was kept of a session. */
export interface ReplSession {
  inputs: Input[]
  /** Names at the top of the inputs, the youngest last. */
  names: string[]
}

/** What came of an input; the three are never mixed. */
interface Evaluation {
  /** What was printed; empty for nothing. */
  output: string
  /** The value of the last expression; null without one. */
  result: string | null
  error: string | null
}

/** What an evaluation may use. */
export interface ReplLimits {
  workMs: number
  memoryMb: number
}

const limitsDefault: ReplLimits = { workMs: 5_000, memoryMb: 64 }
const inputsMax = 300
const inputLengthMax = 100_000

const reportSchema = z.object({
  printed: z.array(z.string().max(3_000)).max(1_000),
  isReached: z.boolean(),
  result: z.string().max(20_001),
  error: z.string().max(2_001),
})

/** Evaluates an input in a session, which keeps it when it goes well. Never rejects. */
export async function evaluate(
  session: ReplSession,
  text: string,
  limits: Partial<ReplLimits> = {},
): Promise<Evaluation> {
  const failed = (error: string): Evaluation => ({ output: '', result: null, error })
  const size = session.inputs.reduce((sum, { body }) => sum + body.length, text.length)
  if (session.inputs.length >= inputsMax || size > inputLengthMax) {
    return failed('This session is full; “:reset” begins a new one')
  }
  try {
    const fresh = readInput(text)
    const evaluation = await run(session, fresh, [], limits)
    if (evaluation.error === null) keep(session, fresh)
    return evaluation
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const [, line] = /input:(\d+)/.exec(error.stack ?? '') ?? []
    return failed(`SyntaxError: ${error.message}${line === undefined ? '' : ` (line ${line})`}`)
  }
}

function keep(session: ReplSession, fresh: Input): void {
  const pattern =
    /^(?:const|let|var|class|(?:async\s+)?function\s*\*?)\s*(?:([\w$]+)|[[{]([^;\n]*?)[\]}]\s*=(?!=))/gm
  const names = [...fresh.body.matchAll(pattern)].flatMap(([, one, several = '']) =>
    one === undefined ? several.split(',').flatMap(boundName) : [one],
  )
  session.inputs.push(fresh)
  session.names = [...session.names.filter((name) => !names.includes(name)), ...names]
}

/** The name in one part of a pattern, such as `a`, `...a`, `a: b` or `a = 1`. */
function boundName(part: string): string[] {
  const name = part.split('=')[0]?.split(':').at(-1)?.replace('...', '').trim() ?? ''
  return /^[A-Za-z_$][\w$]*$/.test(name) ? [name] : []
}

async function run(
  { inputs }: ReplSession,
  fresh: Input,
  variables: readonly string[],
  limits: Partial<ReplLimits>,
): Promise<Evaluation> {
  const { code, firstLine } = programOf(inputs, fresh, variables)
  const jail = new Jail({ ...limitsDefault, ...limits })
  try {
    await jail.load('repl', code)
    const line = await jail.call('repl', 'tool:run', {}).then(() => null, lineOf)
    const report = reportSchema.safeParse(await jail.call('repl', 'tool:report', {}))
    if (!report.success) return { output: '', result: null, error: 'The answer is out of shape' }
    const { printed, isReached, result, error } = report.data
    const output = printed.join('\n')
    if (error !== '') return { output, result: null, error: withLine(error, line, firstLine) }
    if (!isReached) return { output, result: null, error: 'The input left its place' }
    return { output, result: fresh.value === null ? null : result, error: null }
  } catch (error) {
    if (!(error instanceof JailError)) throw error
    return { output: '', result: null, error: `It was not evaluated: ${error.message}` }
  } finally {
    await jail.close()
  }
}

/** The line of an error that an input threw; an error of the jail's is thrown on. */
function lineOf(error: unknown): number | null {
  if (error instanceof JailError && error.kind === 'failed') return error.line
  throw error
}

function withLine(error: string, found: number | null, firstLine: number): string {
  const line = (found ?? 0) - firstLine + 1
  return line >= 1 ? `${error} (line ${line})` : error
}

const sessionsMax = 100

/** All sessions of a daemon. */
export class Repl {
  readonly #sessions = new Map<string, ReplSession>()
  readonly #opened: readonly Workspace[]

  constructor(opened: readonly Workspace[]) {
    this.#opened = opened
  }

  /** Evaluates an input, or obeys a command, in the session of this id. Never rejects. */
  async take(runtime: Runtime, id: string, input: string): Promise<Evaluation> {
    const session = this.#session(id)
    const [, command, rest = ''] = /^\s*:([a-z]+)\s*(.*?)\s*$/s.exec(input) ?? []
    if (command === undefined) return evaluate(session, input)
    if (command === 'reset') {
      this.#sessions.delete(id)
      return { output: 'Everything is forgotten.', result: null, error: null }
    }
    if (command === 'vars') return variables(session, session.names)
    if (command === 'inspect') return /^[\w$.[\]]+$/.test(rest) ? inspect(session, rest) : unknown
    if (command === 'load') return this.#load(runtime, session, rest)
    return unknown
  }

  async #load(runtime: Runtime, session: ReplSession, path: string): Promise<Evaluation> {
    try {
      const { file, shown } = placeOf(runtime, this.#opened, path)
      const text = readText(file, shown)
      if (text === null) throw new RangeError(`There is no file ${path}`)
      const plain = text.replace(/^export (?:default )?(?=\S)/gm, '')
      const { output, error } = await evaluate(session, `${plain}\n;undefined`)
      return {
        output: error === null ? `${output}\n${shown} was read.`.trim() : output,
        result: null,
        error,
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return { output: '', result: null, error: error.message }
    }
  }

  #session(id: string): ReplSession {
    const session = this.#sessions.get(id) ?? { inputs: [], names: [] }
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > sessionsMax && oldest !== undefined) this.#sessions.delete(oldest)
    return session
  }
}

const unknown: Evaluation = {
  output: '',
  result: null,
  error: 'There are :vars, :inspect NAME, :load FILE and :reset',
}

function variables(session: ReplSession, names: readonly string[]): Promise<Evaluation> {
  return run(session, { body: '', value: null }, names, {})
}

async function inspect(session: ReplSession, name: string): Promise<Evaluation> {
  const [root = ''] = name.split(/[.[]/)
  if (!session.names.includes(root)) {
    return { output: '', result: null, error: `There is no ${root}; “:vars” tells what there is` }
  }
  return run(session, { body: '', value: `(${name})` }, [], {})
}

const parameters = z.object({
  typescript: z
    .string()
    .min(1)
    .max(20_000)
    .describe(
      'statements, and an expression at the end; or :vars, :inspect NAME, :load FILE, :reset',
    ),
})

const wireSchema = z.object({
  text: z.string().min(1).max(20_000),
  id: z.union([z.string().max(64), z.number()]).optional(),
})

function fromWire(signal: Signal): Action | null {
  if (signal.meta.isUnproven === true || !isLocalSource(signal.meta.source)) {
    return messageAction('The REPL is for clients of the owner’s that have proved who they are.')
  }
  const read = wireSchema.safeParse(signal.payload)
  if (!read.success) return messageAction('repl-eval needs a text with TypeScript in it.')
  const { text, id } = read.data
  const args = id === undefined ? {} : { args: { id } }
  const explanation = 'The owner typed it into the REPL.'
  return {
    type: 'request',
    target: 'repl',
    payload: { action: 'repl-eval', text, ...args, explanation },
  }
}

function replActuator(repl: Repl): Actuator {
  return {
    name: 'repl',
    silent: true,
    async dispatch(action, signal, runtime) {
      const { args, text = '' } = action.payload
      const evaluation = await repl.take(runtime, signal.meta.sessionId ?? '', text)
      const id = args?.id === undefined ? {} : { id: args.id }
      const payload = { action: 'repl-result', ...id, ...evaluation }
      runtime.reply({ type: 'response', meta: signal.meta, payload, depth: signal.depth })
      return null
    },
  }
}

/** The skill that evaluates TypeScript, with files from these workspaces. */
export function createReplSkill(opened: readonly Workspace[]): Skill {
  const repl = new Repl(opened)
  const tool: Tool = {
    name: 'repl-eval',
    description: 'Evaluates TypeScript without files or network; variables stay until :reset.',
    parameters,
    readOnly: true,
    async run(args, { runtime, signal }) {
      const { typescript } = parameters.parse(args)
      const id = signal.meta.sessionId ?? ''
      const { output, result, error } = await repl.take(runtime, id, typescript)
      const text = [output && `printed: ${output}`, result ?? ''].filter(Boolean).join('\n')
      if (error === null) return { status: 'success', content: text }
      return { status: 'error', message: [text, error].filter(Boolean).join('\n') }
    },
  }
  return defineSkill({
    name: 'repl',
    description: 'Evaluates TypeScript in the jail, with variables that stay.',
    offeredFor: ['repl', 'evaluate'],
    tools: [tool],
    actuators: [replActuator(repl)],
    sensors: { 'repl-eval': fromWire },
  })
}
