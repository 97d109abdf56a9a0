import { type MessagePort, workerData } from 'node:worker_threads'
import 'ses'
import { type Inside, inside, jailGlobals } from './jail-inside.ts'

lockdown({
  ...{ errorTaming: 'safe', localeTaming: 'safe', regExpTaming: 'safe', evalTaming: 'safe-eval' },
  ...{ overrideTaming: 'severe', consoleTaming: 'unsafe', stackFiltering: 'verbose' },
  reporting: 'none',
})

declare const getStackString: (error: unknown) => string

const { port, flag } = workerData as { port: MessagePort; flag: Int32Array }
const skills = new Map<string, Inside>()
const answers = new Map<number, (text: string) => void>()
let lastEffect = 0

function load(name: string, file: string, code: string): string {
  const compartment = new Compartment({ __options__: true, globals: {} })
  const globals = compartment.globalThis as Record<string, unknown>
  for (const key of Object.getOwnPropertyNames(globals)) {
    if (!jailGlobals.includes(key)) delete globals[key]
  }
  const open = compartment.evaluate(`(${inside.toString()})`) as typeof inside
  const jail = open({ effect: harden(ask), stackOf: harden(stackOf) })
  for (const key of Object.keys(jail.globals)) {
    Object.defineProperty(globals, key, { value: harden(jail.globals[key]) })
  }
  compartment.evaluate(`${code}\n//# sourceURL=${file}`)
  skills.set(name, jail)
  return jail.seal()
}

function stackOf(error: unknown): string {
  return error instanceof Error ? String(getStackString(error)) : ''
}

function ask(id: number, text: string): Promise<string> {
  const effect = ++lastEffect
  post({ kind: 'effect', id, effect, text })
  return new Promise((resolve) => answers.set(effect, resolve))
}

type Message =
  | { kind: 'load'; id: number; name: string; file: string; code: string }
  | { kind: 'drop'; name: string }
  | { kind: 'call'; id: number; name: string; text: string; isPrompt: boolean }
  | { kind: 'effect-answer'; effect: number; text: string }

function post(message: { kind: 'reply' | 'effect'; id: number; effect?: number; text: unknown }) {
  const text = typeof message.text === 'string' ? message.text : '{}'
  port.postMessage({ ...message, text })
  Atomics.add(flag, 0, 1)
  Atomics.notify(flag, 0)
}

function failed(error: unknown): string {
  const [message, stack] = wordsOf(error)
  return JSON.stringify({ ok: false, message, stack, printed: [] })
}

function wordsOf(error: unknown): [message: string, stack: string] {
  try {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : 'It threw no error'
    return [message.slice(0, 500), stackOf(error).slice(0, 4_000)]
  } catch {
    return ['It threw what cannot be read', '']
  }
}

function take(message: Message): void {
  if (message.kind === 'drop') skills.delete(message.name)
  else if (message.kind === 'effect-answer') {
    answers.get(message.effect)?.(message.text)
    answers.delete(message.effect)
  } else if (message.kind === 'load') {
    const { code, file, id, name } = message
    post({ kind: 'reply', id, text: attempt(() => load(name, file, code)) })
  } else {
    const { id, isPrompt, name, text } = message
    const jail = skills.get(name)
    if (jail === undefined) post({ kind: 'reply', id, text: failed(new Error('It is not loaded')) })
    else if (isPrompt) post({ kind: 'reply', id, text: attempt(() => jail.answerNow(text)) })
    else {
      const end = (reply: string) => post({ kind: 'reply', id, text: reply })
      jail.answer(text).then(end, (error: unknown) => end(failed(error)))
    }
  }
}

function attempt(run: () => string): string {
  try {
    return run()
  } catch (error) {
    return failed(error)
  }
}

process.on('unhandledRejection', () => {})
port.on('message', take)
