import { z } from 'zod'
import {
  type Contribution,
  fileOf,
  JailError,
  readContributions,
  readPlain,
  readReply,
} from './data.ts'
import {
  type Containment,
  type JailMessage,
  type JailProcess,
  startJailProcess,
} from './process.ts'

/** What a skill may use. */
export interface JailLimits {
  /** How long a gate may take, in milliseconds. */
  gateMs: number
  /** How long a call may take in all, in milliseconds, without what the daemon does for it. */
  workMs: number
  /** How long a process may take to start, and a skill to load, in milliseconds. */
  loadMs: number
  /** The heap of the process. */
  memoryMb: number
  /** The longest answer and the longest request, in UTF-16 units of JSON. */
  textMax: number
  /** How many requests one call may make. */
  requestsMax: number
  /** After how long without a call the process is ended, in milliseconds. */
  idleMs: number
}

/** What is right for most. */
const jailDefaults: JailLimits = {
  gateMs: 1_000,
  workMs: 2_000,
  loadMs: 10_000,
  memoryMb: 32,
  textMax: 200_000,
  requestsMax: 50,
  idleMs: 300_000,
}

/** What one call may still use. It only shrinks. Times are in milliseconds of one clock. */
export class Budget {
  #ms: number
  #requests: number
  #since: number | null = null

  constructor(ms: number, requests: number) {
    this.#ms = ms
    this.#requests = requests
  }

  /** From now on its skill can run. */
  run(now: number): void {
    this.#since ??= now
  }

  /** From now on its skill cannot run. */
  rest(now: number): void {
    this.#ms = this.left(now)
    this.#since = null
  }

  /** The milliseconds that are left, never less than 0. */
  left(now: number): number {
    const used = this.#since === null ? 0 : Math.max(0, now - this.#since)
    return Math.max(0, this.#ms - used)
  }

  /** Takes one request off; false when there was none left. */
  request(): boolean {
    if (this.#requests === 0) return false
    this.#requests--
    return true
  }
}

/** Carries out a request of a skill's; the text is the answer or says why there is none. */
export type Effects = (
  tool: string,
  args: Record<string, unknown>,
) => Promise<{ ok: boolean; text: string }>

/** A call that was not answered yet. */
interface Open {
  budget: Budget
  effects: Effects | null
  /** How many of its requests are being carried out. */
  pending: number
  settle(ended: Ended): void
}

/** The text of a reply, or why there is none. */
type Ended = { text: string } | { error: JailError }

type Request = Extract<JailMessage, { kind: 'request' }>

const requestSchema = z.object({
  tool: z.string().max(64),
  args: z.record(z.string(), z.unknown()).default({}),
})

async function carriedOut(
  effects: Effects | null,
  text: string,
  textMax: number,
): Promise<{ ok: boolean; text: string }> {
  if (effects === null) return { ok: false, text: 'Nothing can be called from here.' }
  try {
    const request = requestSchema.safeParse(readPlain(text, textMax))
    if (!request.success) return { ok: false, text: 'Expected the name of a tool and arguments.' }
    return await effects(request.data.tool, request.data.args)
  } catch (error) {
    const isOurs = error instanceof JailError
    return { ok: false, text: isOurs ? error.message : 'It could not be called.' }
  }
}

interface Running {
  limits: JailLimits
  process: JailProcess
  open: Map<number, Open>
  /** Resolves when the program can be spoken to; false when it could not be started. */
  ready: PromiseWithResolvers<boolean>
  /** Hears what gates say, while they are asked. */
  judged: ((message: Extract<JailMessage, { kind: 'verdict' }>) => void) | null
  sent: number
  seen: number
  /** It was killed or has ended; nothing is measured any more. */
  isGone: boolean
  /** The number of the last call. */
  last: number
  timer: NodeJS.Timeout | undefined
  /** Told once that the process has ended, or was killed for what it did. */
  told(why: string): void
}

function startRunning(limits: JailLimits, isPlain: boolean, told: (why: string) => void): Running {
  const ears = {
    heard: (message: JailMessage) => heard(running, message),
    ended: (why: string) => end(running, why),
  }
  const running: Running = {
    limits,
    told,
    process: startJailProcess(limits, ears, isPlain),
    open: new Map(),
    ready: Promise.withResolvers<boolean>(),
    judged: null,
    sent: 0,
    seen: 0,
    isGone: false,
    last: 0,
    timer: setTimeout(() => end(running, 'its process did not start in time'), limits.loadMs),
  }
  return running
}

function send(running: Running, message: object): void {
  running.sent++
  running.process.send(message)
  const now = performance.now()
  for (const { budget } of running.open.values()) budget.run(now)
  watch(running)
}

/** Waits for the first budget to be used up, while code of a skill can run. */
function watch(running: Running): void {
  const { isGone, limits, open, seen, sent } = running
  clearTimeout(running.timer)
  if (isGone || seen === sent) return
  const now = performance.now()
  const lefts = [...open.values()].map(({ budget }) => budget.left(now))
  const least = lefts.length === 0 ? limits.workMs : Math.min(...lefts)
  running.timer = setTimeout(() => end(running, 'it did not return in time'), least)
}

function idle(running: Running, seen: number): void {
  running.seen = Math.min(seen, running.sent)
  if (running.seen < running.sent) return
  const now = performance.now()
  const open = [...running.open.values()]
  for (const { budget } of open) budget.rest(now)
  watch(running)
  if (open.some(({ pending }) => pending > 0)) return
  fail(running, new JailError('overran', 'it waits for what will never come'))
}

function fail({ open }: Running, error: JailError): void {
  for (const each of open.values()) each.settle({ error })
}

/** The process has to go, or has gone by itself. */
function end(running: Running, why: string): void {
  running.told(why)
  void kill(running, why)
}

function kill(running: Running, why: string): Promise<void> {
  running.isGone = true
  clearTimeout(running.timer)
  const gone = running.process.kill()
  fail(running, new JailError('overran', why))
  running.ready.resolve(false)
  return gone
}

function heard(running: Running, message: JailMessage): void {
  if (message.kind === 'ready') {
    clearTimeout(running.timer)
    running.ready.resolve(true)
  } else if (message.kind === 'verdict') running.judged?.(message)
  else if (message.kind === 'idle') idle(running, message.seen)
  else {
    const open = running.open.get(message.id)
    if (open === undefined) return
    if (message.kind === 'reply') open.settle({ text: message.text })
    else if (open.budget.request()) void answer(running, open, message)
    else end(running, `it made more than ${running.limits.requestsMax} requests`)
  }
}

async function answer(running: Running, open: Open, { id, request, text }: Request) {
  open.pending++
  const answered = await carriedOut(open.effects, text, running.limits.textMax)
  open.pending--
  if (running.open.get(id) === open) send(running, { kind: 'answer', request, ...answered })
}

/** Sends a message as a call, and resolves to the text of its reply. */
async function ask(
  running: Running,
  message: object,
  budget: Budget,
  effects: Effects | null = null,
): Promise<string> {
  const id = ++running.last
  const { promise, resolve: settle } = Promise.withResolvers<Ended>()
  running.open.set(id, { budget, effects, pending: 0, settle })
  send(running, { ...message, id })
  const ended = await promise
  running.open.delete(id)
  watch(running)
  if ('error' in ended) throw ended.error
  return ended.text
}

/** A gate by its skill and its entry, such as `gate:quiet`. */
export interface AskedGate {
  skill: string
  entry: string
}

type Judged = Ended & { micros: number }

/** Asks gates one after another. The answers end with the first that could not be had. */
async function judge(running: Running, gates: readonly AskedGate[], input: object) {
  const judged: Judged[] = []
  const id = ++running.last
  const all = Promise.withResolvers<void>()
  let begun = performance.now()
  const settle = (ended: Ended) => {
    if (running.open.get(id) !== open) return
    const now = performance.now()
    judged.push({ ...ended, micros: Math.round((now - begun) * 1_000) })
    begun = now
    if ('text' in ended && judged.length < gates.length) {
      open.budget = new Budget(running.limits.gateMs, 0)
      open.budget.run(now)
    } else {
      running.open.delete(id)
      all.resolve()
    }
    watch(running)
  }
  const budget = new Budget(running.limits.gateMs, 0)
  const open: Open = { budget, effects: null, pending: 0, settle }
  running.open.set(id, open)
  running.judged = (message) => {
    if (message.id === id && message.at === judged.length) settle({ text: message.text })
  }
  send(running, { kind: 'judge', id, gates, input })
  await all.promise
  return judged
}

/** What a gate said, as plain data, or why it said nothing. */
export type JailVerdict = ({ said: unknown } | { error: JailError }) & { micros: number }

/** What was loaded: contributions, and the names of tests in their order. */
interface Loaded {
  contributions: Contribution[]
  tests: string[]
}

const loadedSchema = z.object({
  contributions: z.unknown(),
  tests: z.array(z.string().min(1).max(200)).max(500),
})

interface Cell {
  limits: JailLimits
  /** The code of each skill, which is needed again after each end. */
  codes: Map<string, { code: string; tests: string }>
  running: Running | null
  /** Bubblewrap is there and does not work. */
  isPlain: boolean
  /** What loads or judges now, after which the next begins. */
  turn: Promise<unknown>
  rest: NodeJS.Timeout | undefined
  ended(why: string, skills: readonly string[]): void
}

/** The process with all skills in it. Rejects when it cannot be started. */
async function up(cell: Cell): Promise<Running> {
  if (cell.running !== null) return cell.running
  const running = await started(cell)
  for (const skill of cell.codes.keys()) await loadInto(cell, running, skill).catch(() => {})
  return running
}

async function started(cell: Cell): Promise<Running> {
  const running: Running = startRunning(cell.limits, cell.isPlain, (why) => {
    if (cell.running === running) cell.running = null
    cell.ended(why, [...cell.codes.keys()])
  })
  cell.running = running
  if (await running.ready.promise) return running
  if (running.process.containment === 'permissions') {
    throw new JailError('overran', 'its process could not be started')
  }
  cell.isPlain = true
  return started(cell)
}

async function loadInto({ codes, limits }: Cell, running: Running, skill: string) {
  const message = { kind: 'load', skill, file: fileOf(skill), ...codes.get(skill) }
  const text = await ask(running, message, new Budget(limits.loadMs, 0))
  return readReply(text, skill, limits.textMax)
}

function inTurn<T>(cell: Cell, run: () => Promise<T>): Promise<T> {
  const next = cell.turn.then(run)
  cell.turn = next.catch(() => {}).then(() => restLater(cell))
  return next
}

function restLater(cell: Cell): void {
  clearTimeout(cell.rest)
  const isIdle = () => cell.running?.open.size === 0
  cell.rest = setTimeout(() => void (isIdle() && stop(cell)), cell.limits.idleMs).unref()
}

async function stop(cell: Cell): Promise<void> {
  clearTimeout(cell.rest)
  const { running } = cell
  cell.running = null
  if (running !== null) await kill(running, 'it was ended')
}

async function load(
  cell: Cell,
  skill: string,
  code: { code: string; tests: string },
): Promise<Loaded> {
  const old = cell.codes.get(skill)
  const running = await up(cell)
  cell.codes.set(skill, code)
  try {
    const read = loadedSchema.safeParse(await loadInto(cell, running, skill))
    if (!read.success) throw new JailError('shape', 'what it contributes is no list')
    const contributions = readContributions(read.data.contributions)
    return { contributions, tests: read.data.tests }
  } catch (error) {
    if (old === undefined) cell.codes.delete(skill)
    else cell.codes.set(skill, old)
    throw error
  }
}

function read(judged: Judged, skill: string, textMax: number): JailVerdict {
  if ('error' in judged) return judged
  const { micros, text } = judged
  try {
    return { said: readReply(text, skill, textMax), micros }
  } catch (error) {
    return { error: error as JailError, micros }
  }
}

/** One contained process for skills. It is started by the first of them. */
export class Jail {
  readonly #cell: Cell

  /** `ended` is told when the process has ended for what a skill did, and which skills were in it. */
  constructor(limits: Partial<JailLimits> = {}, ended: Cell['ended'] = () => {}) {
    this.#cell = {
      limits: { ...jailDefaults, ...limits },
      codes: new Map(),
      running: null,
      isPlain: false,
      turn: Promise.resolve(),
      rest: undefined,
      ended,
    }
  }

  /** How its process is contained; null while there is none. */
  get containment(): Containment | null {
    return this.#cell.running?.process.containment ?? null
  }

  /** Loads the code in the place of an older one; the tests see its functions. Rejects with a JailError. */
  load(skill: string, code: string, tests = ''): Promise<Loaded> {
    return inTurn(this.#cell, () => load(this.#cell, skill, { code, tests }))
  }

  /** Takes a skill out; nothing happens when it is not there. */
  drop(skill: string): void {
    const { codes, running } = this.#cell
    if (!codes.delete(skill)) return
    if (codes.size === 0) void stop(this.#cell)
    else if (running !== null) send(running, { kind: 'drop', skill })
  }

  /** Calls an entry such as `tool:count`. Resolves to plain data, rejects with a JailError. */
  async call(skill: string, entry: string, input: unknown, effects?: Effects): Promise<unknown> {
    const { requestsMax, textMax, workMs } = this.#cell.limits
    const running = await inTurn(this.#cell, () => up(this.#cell))
    const budget = new Budget(workMs, requestsMax)
    const message = { kind: 'call', skill, entry, input }
    try {
      return readReply(await ask(running, message, budget, effects ?? null), skill, textMax)
    } finally {
      restLater(this.#cell)
    }
  }

  /**
   * Asks gates about one input; never longer than the budgets of all. The verdicts end with the
   * first gate in whose turn the process ended. Rejects when none can be asked.
   */
  judge(gates: readonly AskedGate[], input: object): Promise<JailVerdict[]> {
    return inTurn(this.#cell, async () => {
      const judged = await judge(await up(this.#cell), gates, input)
      return judged.map((each, at) => read(each, gates[at]!.skill, this.#cell.limits.textMax))
    })
  }

  /** Ends the process; resolves when it is gone. */
  async close(): Promise<void> {
    this.#cell.codes.clear()
    await stop(this.#cell)
  }
}
