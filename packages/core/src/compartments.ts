import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { z } from 'zod'
import {
  Calls,
  type Contribution,
  type Effects,
  fileOf,
  JailError,
  type JailLimits,
  jailDefaults,
  type PromptJail,
  readContributions,
  readReply,
} from './jail.ts'

const messageSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('reply'), id: z.int(), text: z.string() }),
  z.strictObject({ kind: z.literal('effect'), id: z.int(), effect: z.int(), text: z.string() }),
])

interface Thread {
  worker: Worker
  port: MessagePort
  /** Raised by the worker after each message. */
  flag: Int32Array
  /** The number of the call that is waited for, and its reply when it has come. */
  awaited: { id: number; text: string | null }
  /** It has said something, so it has started. */
  isReady: boolean
}

const workerUrl = `./jail-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`

function startThread(memoryMb: number): Thread {
  const { port1: port, port2 } = new MessageChannel()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(workerUrl, import.meta.url), {
    ...{ argv: [], env: {}, execArgv: ['--disable-warning=ExperimentalWarning'] },
    ...{ stdin: false, stdout: true, stderr: true },
    workerData: { port: port2, flag },
    transferList: [port2],
    resourceLimits: {
      ...{ maxOldGenerationSizeMb: memoryMb * 2, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    },
  })
  worker.unref()
  port.unref()
  return { worker, port, flag, awaited: { id: 0, text: null }, isReady: false }
}

interface Ring {
  limits: JailLimits
  codes: Map<string, string>
  calls: Calls
  thread: Thread | null
}

function post(ring: Ring, message: object): void {
  ring.thread ??= start(ring)
  ring.thread.port.postMessage(message)
}

function start(ring: Ring): Thread {
  const thread = startThread(ring.limits.memoryMb)
  thread.port.on('message', (message) => take(ring, thread, message)).unref()
  thread.worker.on('error', ({ message }) => {
    if (ring.thread === thread) kill(ring, `its thread ended: ${message}`)
  })
  for (const [name, code] of ring.codes) {
    const id = ring.calls.next()
    thread.port.postMessage({ kind: 'load', id, name, file: fileOf(name), code })
  }
  return thread
}

function take(ring: Ring, thread: Thread, given: unknown): void {
  const parsed = messageSchema.safeParse(given)
  if (!parsed.success || ring.thread !== thread) return
  const message = parsed.data
  thread.isReady = true
  if (message.kind === 'effect') {
    const { effect, id, text } = message
    void ring.calls.effect(id, text, (answer) => {
      if (ring.thread !== thread) return
      thread.port.postMessage({ kind: 'effect-answer', effect, text: answer })
    })
  } else if (message.id === thread.awaited.id) thread.awaited.text = message.text
  else ring.calls.reply(message.id, message.text)
}

function kill(ring: Ring, why: string): void {
  void end(ring)
  ring.calls.fail(new JailError('overran', why))
  if (ring.codes.size > 0) ring.thread = start(ring)
}

async function end(ring: Ring): Promise<void> {
  const { thread } = ring
  ring.thread = null
  thread?.port.close()
  await thread?.worker.terminate()
}

/** Sleeps until the call is answered or the time is up; null then. */
function awaitReply(ring: Ring, id: number, ms: number): string | null {
  const { thread } = ring
  if (thread === null) return null
  const { awaited, flag, port } = thread
  awaited.id = id
  awaited.text = null
  const over = performance.now() + ms
  for (;;) {
    const seen = Atomics.load(flag, 0)
    for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) {
      take(ring, thread, got.message)
    }
    const left = over - performance.now()
    if (awaited.text !== null || left <= 0) return awaited.text
    Atomics.wait(flag, 0, seen, left)
  }
}

const startMs = 2_000

/** The first ring. Starts its thread when the first skill is loaded. */
export class Compartments implements PromptJail {
  readonly #ring: Ring

  constructor(given: Partial<JailLimits> = {}) {
    const limits = { ...jailDefaults, ...given }
    const overran = (skill: string) => kill(this.#ring, `${skill} did not return`)
    this.#ring = { limits, codes: new Map(), calls: new Calls(limits, overran), thread: null }
  }

  async load(name: string, code: string): Promise<Contribution[]> {
    const { calls, codes, limits } = this.#ring
    const message = { kind: 'load', name, file: fileOf(name), code }
    const send = (id: number) => post(this.#ring, { ...message, id })
    const contributions = readContributions(await calls.begin(name, limits.loadMs, null, send))
    codes.set(name, code)
    return contributions
  }

  drop(name: string): void {
    this.#ring.codes.delete(name)
    if (this.#ring.thread !== null) post(this.#ring, { kind: 'drop', name })
    if (this.#ring.codes.size === 0) void end(this.#ring)
  }

  call(name: string, entry: string, input: unknown, effects?: Effects): Promise<unknown> {
    const { calls, limits } = this.#ring
    const ms = this.#ring.thread?.isReady ? limits.workMs : limits.loadMs
    return calls.begin(name, ms, effects ?? null, (id) => {
      const text = JSON.stringify({ entry, id, input })
      post(this.#ring, { kind: 'call', id, name, text, isPrompt: false })
    })
  }

  callNow(name: string, entry: string, input: unknown): unknown {
    const { calls, limits } = this.#ring
    const ms = this.#ring.thread?.isReady ? limits.gateMs : Math.min(limits.loadMs, startMs)
    const id = calls.next()
    const text = JSON.stringify({ entry, id, input })
    post(this.#ring, { kind: 'call', id, name, text, isPrompt: true })
    const reply = awaitReply(this.#ring, id, ms)
    if (reply !== null) return readReply(reply, name, limits.textMax)
    kill(this.#ring, `${name} did not return`)
    throw new JailError('overran', `it did not return within ${ms} ms`)
  }

  async close(): Promise<void> {
    this.#ring.codes.clear()
    await end(this.#ring)
  }
}
