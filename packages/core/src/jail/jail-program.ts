import { readSync, writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import 'ses'

registerHooks({
  resolve() {
    throw new Error('A skill can import nothing')
  },
})
Reflect.deleteProperty(globalThis, 'WebAssembly')

lockdown({
  errorTaming: 'safe',
  localeTaming: 'safe',
  regExpTaming: 'safe',
  evalTaming: 'safe-eval',
  overrideTaming: 'severe',
  consoleTaming: 'unsafe',
  stackFiltering: 'verbose',
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  reporting: 'none',
})
process.on('unhandledRejection', () => {})

declare const getStackString: (error: unknown) => string

const languageNames = new Set([
  ...['AggregateError', 'Array', 'BigInt', 'Boolean', 'Error', 'EvalError', 'Infinity', 'JSON'],
  ...['Map', 'Math', 'NaN', 'Number', 'Object', 'Promise', 'Proxy', 'RangeError'],
  ...['ReferenceError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError'],
  ...['TypeError', 'URIError', 'WeakMap', 'WeakSet', 'decodeURI', 'decodeURIComponent'],
  ...['encodeURI', 'encodeURIComponent', 'globalThis', 'isFinite', 'isNaN', 'parseFloat'],
  ...['parseInt', 'undefined'],
])

type Run = (...given: unknown[]) => unknown

interface Skill {
  entries: Map<string, Run>
  /** What it contributes, each as JSON. */
  said: string[]
  tests: string[]
  printed: string[]
  isSealed: boolean
}

const skills = new Map<string, Skill>()

function put(skill: Skill, kind: string, name: unknown, about: object, run: unknown): void {
  const key = `${kind}:${String(name)}`
  if (skill.isSealed) throw new Error(`${key} comes too late; say it while the skill is loaded`)
  if (typeof run !== 'function') throw new TypeError(`Expected a function for ${key}`)
  if (skill.entries.has(key)) throw new Error(`There are two of ${key}`)
  const said = JSON.stringify({ ...about, kind, name })
  skill.entries.set(key, run as Run)
  if (kind === 'test') skill.tests.push(String(name))
  else skill.said.push(said)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
}

function lentTo(skill: Skill): Record<string, unknown> {
  const print = (...values: unknown[]) => {
    if (skill.printed.length >= 20) return
    skill.printed.push(values.map(textOf).join(' ').slice(0, 200))
  }
  return {
    gate: (name: unknown, priority: unknown, run: unknown) =>
      put(skill, 'gate', name, { priority }, run),
    tool: (name: unknown, about: object, run: unknown) =>
      put(skill, 'tool', name, { ...about }, run),
    hook: (sensor: unknown, run: unknown) => put(skill, 'hook', sensor, {}, run),
    job: (name: unknown, cron: unknown, run: unknown) => put(skill, 'job', name, { cron }, run),
    console: { log: print, info: print, warn: print, error: print },
  }
}

/** JSON of what a test looked at: actual and expected. */
type Looked = [actual: string, expected: string]

const lookedMax = 1_000

function testing(skill: Skill): { test: Run; expect: Run } {
  let looked: Looked[] = []
  const json = (value: unknown) => JSON.stringify(value) ?? 'undefined'
  const test: Run = (name, run) => {
    const begin = async () => {
      looked = []
      await (run as Run)()
      return looked
    }
    put(skill, 'test', name, {}, typeof run === 'function' ? begin : undefined)
  }
  const expect: Run = (actual, expected) => {
    const pair: Looked = [json(actual), json(expected)]
    if (looked.push(pair) > lookedMax) throw new RangeError('There are too many expectations')
    if (pair[0] !== pair[1]) throw new Error(`Expected ${pair[1]}, got ${pair[0]}`)
  }
  return { test: harden(test), expect: harden(expect) }
}

interface Load {
  kind: 'load'
  id: number
  skill: string
  file: string
  code: string
  tests: string
}

function load({ code, file, skill: name, tests }: Load): object {
  const skill: Skill = { entries: new Map(), said: [], tests: [], printed: [], isSealed: false }
  const compartment = new Compartment({ __options__: true, globals: {} })
  const globals = compartment.globalThis as Record<string, unknown>
  for (const key of Object.getOwnPropertyNames(globals)) {
    if (!languageNames.has(key)) delete globals[key]
  }
  const lent = lentTo(skill)
  for (const key of Object.keys(lent)) {
    Object.defineProperty(globals, key, { value: harden(lent[key]) })
  }
  const text = `(function () { 'use strict'; ${code}\nreturn function (test, expect) {${tests}\n}})()`
  const run = compartment.evaluate(`${text}\n//# sourceURL=${file}`) as Run
  const { expect, test } = testing(skill)
  run(test, expect)
  skill.isSealed = true
  skills.set(name, skill)
  return { contributions: skill.said.map((each) => JSON.parse(each)), tests: skill.tests }
}

interface Call {
  kind: 'call'
  id: number
  skill: string
  entry: string
  input: unknown
}

const openCalls = new Set<number>()
const waiting = new Map<number, { settle(text: string): void; refuse(error: Error): void }>()
const requests = { last: 0 }

function doors(id: number): { call: Run } {
  const call: Run = (tool, args = {}) => {
    const text = JSON.stringify({ tool, args })
    return new Promise<string>((settle, refuse) => {
      if (!openCalls.has(id)) return
      const request = ++requests.last
      waiting.set(request, { settle, refuse })
      out.push({ kind: 'request', id, request, text })
    })
  }
  return harden({ call })
}

function found(name: string, entry: string): { skill: Skill; run: Run } {
  const skill = skills.get(name)
  if (skill === undefined) throw new Error('It is not loaded')
  const run = skill.entries.get(entry)
  if (run === undefined) throw new Error(`There is no ${entry}`)
  return { skill, run }
}

async function answer({ entry, id, input, skill: name }: Call): Promise<void> {
  openCalls.add(id)
  let text = ''
  try {
    const { run, skill } = found(name, entry)
    text = good(await run(input, doors(id)), skill.printed)
  } catch (error) {
    text = failed(error)
  }
  openCalls.delete(id)
  out.push({ kind: 'reply', id, text })
}

const textMax = Number(process.argv[2] ?? 200_000)

function good(value: unknown, printed: string[] = []): string {
  const text = JSON.stringify({ ok: true, value: value ?? null, printed: printed.splice(0) })
  return text.length <= textMax ? text : failed(new RangeError('Its answer is too long'))
}

function failed(error: unknown): string {
  const [message, stack] = wordsOf(error)
  return JSON.stringify({ ok: false, message, stack, printed: [] })
}

function wordsOf(error: unknown): [message: string, stack: string] {
  try {
    if (!(error instanceof Error)) return [textOf(error).slice(0, 500), '']
    const stack = String(getStackString(error)).slice(0, 4_000)
    return [`${error.name}: ${error.message}`.slice(0, 500), stack]
  } catch {
    return ['It threw what cannot be read', '']
  }
}

interface Judge {
  kind: 'judge'
  id: number
  gates: { skill: string; entry: string }[]
  input: { action: unknown }
}

async function judge({ gates, id, input }: Judge): Promise<void> {
  let { action } = input
  let isRejected = false
  for (const [at, { entry, skill }] of gates.entries()) {
    let text = ''
    try {
      const asked = found(skill, entry)
      text = good(asked.run({ ...input, action: clone(action) }, {}), asked.skill.printed)
    } catch (error) {
      text = failed(error)
    }
    const said = JSON.parse(text).value
    if (said?.kind === 'change' && !isRejected) action = said.action
    if (said?.kind === 'reject' && !isRejected) {
      action = input.action
      isRejected = true
    }
    await allIsQuiet()
    send([{ kind: 'verdict', id, at, text }])
  }
}

function clone(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null))
}

type Message =
  | Load
  | Call
  | Judge
  | { kind: 'drop'; skill: string }
  | { kind: 'answer'; request: number; ok: boolean; text: string }

const out: object[] = []

function send(messages: readonly object[]): void {
  const text = messages.map((message) => `${JSON.stringify(message)}\n`).join('')
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

function allIsQuiet(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

async function take(message: Message): Promise<void> {
  if (message.kind === 'drop') skills.delete(message.skill)
  else if (message.kind === 'call') void answer(message)
  else if (message.kind === 'judge') await judge(message)
  else if (message.kind === 'load')
    out.push({ kind: 'reply', id: message.id, text: loaded(message) })
  else {
    const { ok, request, text } = message
    const asked = waiting.get(request)
    waiting.delete(request)
    if (ok) asked?.settle(text)
    else asked?.refuse(new Error(text))
  }
}

function loaded(message: Load): string {
  try {
    return good(load(message))
  } catch (error) {
    return failed(error)
  }
}

const chunk = Buffer.alloc(65_536)
const decoder = new TextDecoder()

function* lines(): Generator<string> {
  let rest = ''
  for (;;) {
    const end = rest.indexOf('\n')
    if (end >= 0) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 1)
      yield line
      continue
    }
    const size = readSync(0, chunk)
    if (size === 0) return
    rest += decoder.decode(chunk.subarray(0, size), { stream: true })
  }
}

async function serve(): Promise<void> {
  let seen = 0
  for (const line of lines()) {
    await take(JSON.parse(line))
    await allIsQuiet()
    send([...out.splice(0), { kind: 'idle', seen: ++seen }])
  }
}

send([{ kind: 'ready' }])
await serve()
process.exit(0)
