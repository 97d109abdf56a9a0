import { createInterface } from 'node:readline'
import ivm from 'isolated-vm'
import { inside, jailGlobals } from './jail-inside.ts'

const [memoryMb = '32', workMs = '2000'] = process.argv.slice(2)
const isolate = new ivm.Isolate({
  memoryLimit: Number(memoryMb),
  onCatastrophicError: () => process.exit(70),
})
const timeout = Number(workMs)
const waiting = new Map<number, (text: string) => void>()
let lastEffect = 0
let answer: ivm.Reference | null = null

const opening = `(function (ask) {
  const open = (${inside.toString()})
  const wanted = new Set(${JSON.stringify(jailGlobals)})
  const { apply } = ask
  const effect = (id, text) => apply.call(ask, undefined, [id, text], { result: { promise: true } })
  const jail = open({ effect, stackOf: (error) => (error instanceof Error ? error.stack : '') })
  for (const key of Object.getOwnPropertyNames(globalThis)) {
    if (!wanted.has(key)) delete globalThis[key]
  }
  delete Math.random
  for (const [key, value] of Object.entries(jail.globals)) {
    Object.defineProperty(globalThis, key, { value })
  }
  return jail
})`

async function load(file: string, code: string): Promise<string> {
  const context = await isolate.createContext()
  const open = await context.eval(opening, { reference: true })
  const ask = new ivm.Reference(asking)
  const jail: ivm.Reference = await open.apply(undefined, [ask], { result: { reference: true } })
  await context.eval(code, { filename: file, timeout })
  answer = await jail.get('answer', { reference: true })
  const seal = await jail.get('seal', { reference: true })
  return String(await seal.apply(undefined, [], { timeout }))
}

function asking(id: unknown, text: unknown): Promise<string> {
  const effect = ++lastEffect
  write({ kind: 'effect', id: Number(id), effect, text: String(text) })
  return new Promise((resolve) => waiting.set(effect, resolve))
}

type Message =
  | { kind: 'load'; id: number; file: string; code: string }
  | { kind: 'call'; id: number; text: string }
  | { kind: 'effect-answer'; effect: number; text: string }

function write(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function failed(error: unknown): string {
  const { name, message, stack } = error as Error
  const known = { message: `${name}: ${message}`.slice(0, 500), stack: `${stack}`.slice(0, 4_000) }
  return JSON.stringify({ ok: false, ...known, printed: [] })
}

async function called(text: string): Promise<string> {
  return String(await answer?.apply(undefined, [text], { timeout, result: { promise: true } }))
}

async function take(message: Message): Promise<void> {
  if (message.kind === 'effect-answer') {
    waiting.get(message.effect)?.(message.text)
    waiting.delete(message.effect)
    return
  }
  const { id } = message
  let text = ''
  try {
    if (message.kind === 'load') text = await load(message.file, message.code)
    else text = await called(message.text)
  } catch (error) {
    text = failed(error)
  }
  write({ kind: 'reply', id, text })
  if (isolate.isDisposed) process.exit(71)
}

process.on('unhandledRejection', () => {})
createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line)))
