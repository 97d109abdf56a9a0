import { z } from 'zod'

/** What a skill may use. */
export interface JailLimits {
  /** How long a gate may take, in milliseconds. */
  gateMs: number
  /** How long other work may take between two requests, in milliseconds. */
  workMs: number
  /** How long a skill may take to load, the start of its ring included, in milliseconds. */
  loadMs: number
  memoryMb: number
  /** The longest answer and the longest request, in UTF-16 units of JSON. */
  textMax: number
  /** How many requests one call may make. */
  effectsMax: number
}

/** What is right for most. */
export const jailDefaults: JailLimits = {
  gateMs: 100,
  workMs: 2_000,
  loadMs: 10_000,
  memoryMb: 32,
  textMax: 200_000,
  effectsMax: 50,
}

/** A skill did not do what was asked of it. */
export class JailError extends Error {
  /** `failed` by an error of its own, `overran` its time or its memory, `shape` of its answer. */
  readonly kind: 'failed' | 'overran' | 'shape'
  /** 1-based line of the code, or null. */
  readonly line: number | null

  constructor(kind: JailError['kind'], message: string, line: number | null = null) {
    super(message)
    this.name = 'JailError'
    this.kind = kind
    this.line = line
  }
}

/** Carries out a request of a skill's; the text is the answer or says why there is none. */
export type Effects = (
  tool: string,
  args: Record<string, unknown>,
) => Promise<{ ok: boolean; text: string }>

/** One ring. */
export interface Jail {
  /** Loads the code; resolves to what it contributes. Rejects with a JailError. */
  load(name: string, code: string): Promise<Contribution[]>
  /** Takes a skill out; nothing happens when it is not there. */
  drop(name: string): void
  /** Calls an entry such as `tool:count`. Resolves to plain data, rejects with a JailError. */
  call(name: string, entry: string, input: unknown, effects?: Effects): Promise<unknown>
  /** Ends the ring. */
  close(): Promise<void>
}

/** A ring that can answer while the caller waits. */
export interface PromptJail extends Jail {
  /** Calls an entry and returns plain data. Throws a JailError. */
  callNow(name: string, entry: string, input: unknown): unknown
}

const depthMax = 16
const partsMax = 20_000

/** The value of a JSON text with limits on its size. Throws a JailError of the kind `shape`. */
export function readPlain(text: unknown, textMax: number): unknown {
  if (typeof text !== 'string') throw new JailError('shape', 'its answer is no text')
  if (text.length > textMax) throw new JailError('shape', 'its answer is too long')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new JailError('shape', 'its answer is no JSON')
  }
  checkPlain(value)
  return value
}

function checkPlain(value: unknown): void {
  let parts = 0
  const waiting = [{ value, depth: 0 }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.depth > depthMax) throw new JailError('shape', 'its answer is nested too deep')
    if (++parts > partsMax) throw new JailError('shape', 'its answer has too many parts')
    if (next.value === null || typeof next.value !== 'object') continue
    if (Object.hasOwn(next.value, '__proto__')) {
      throw new JailError('shape', 'its answer has a key __proto__')
    }
    for (const inner of Object.values(next.value)) {
      waiting.push({ value: inner, depth: next.depth + 1 })
    }
  }
}

/** A parameter of a tool; `strings` is a list of them. */
export interface ParameterWords {
  type: 'string' | 'number' | 'integer' | 'boolean' | 'strings'
  about: string
  optional: boolean
}

/** One thing that a skill brings. */
export type Contribution =
  | { kind: 'gate'; name: string; priority: number }
  | { kind: 'tool'; name: string; about: string; parameters: Record<string, ParameterWords> }
  | { kind: 'hook'; name: string }
  | { kind: 'job'; name: string; cron: string }
  | { kind: 'test'; name: string }

const name = z.string().regex(/^[a-z][a-z0-9-]{0,47}$/, 'Expected a name in lower case with dashes')
const parameter = z.strictObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'strings']),
  about: z.string().max(500).default(''),
  optional: z.boolean().default(false),
})
const contribution: z.ZodType<Contribution> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('gate'), name, priority: z.int().min(-1_000).max(1_000) }),
  z.strictObject({
    kind: z.literal('tool'),
    name,
    about: z.string().min(1).max(1_000),
    parameters: z.record(name, parameter).default({}),
  }),
  z.strictObject({ kind: z.literal('hook'), name }),
  z.strictObject({ kind: z.literal('job'), name, cron: z.string().max(100) }),
  z.strictObject({ kind: z.literal('test'), name: z.string().min(1).max(200) }),
])

/** The contributions, read. Throws a JailError that says which is out of shape, and how. */
export function readContributions(value: unknown): Contribution[] {
  const parsed = z.array(contribution).max(100).safeParse(value)
  if (parsed.success) return parsed.data
  const { message, path } = parsed.error.issues[0]!
  const known = value as { kind?: unknown; name?: unknown }[]
  const of = known[Number(path[0])]
  const which = `${String(of?.kind)} ${String(of?.name)}`.slice(0, 60)
  throw new JailError('shape', `${which}: ${path.slice(1).join('.')}: ${message}`)
}

const replySchema = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    value: z.unknown(),
    printed: z.array(z.string().max(200)).max(20),
  }),
  z.object({
    ok: z.literal(false),
    message: z.string().max(1_000),
    stack: z.string().max(10_000),
    printed: z.array(z.string().max(200)).max(20),
  }),
])

/** The value in a reply. Throws a JailError when there is none. */
export function readReply(text: unknown, skill: string, textMax: number): unknown {
  const parsed = replySchema.safeParse(readPlain(text, textMax))
  if (!parsed.success) throw new JailError('shape', 'its reply is none')
  const reply = parsed.data
  if (reply.ok) return reply.value
  throw new JailError('failed', reply.message, lineIn(reply.stack, skill))
}

/** The name under which the code of a skill appears in a stack. */
export function fileOf(skill: string): string {
  return `skill-${skill}.js`
}

/** The first line of the skill's code in a stack, or null. */
export function lineIn(stack: string, skill: string): number | null {
  const at = stack.indexOf(`${fileOf(skill)}:`)
  if (at < 0) return null
  const digits = /^\d{1,7}/.exec(stack.slice(at + fileOf(skill).length + 1))
  return digits === null ? null : Number(digits[0])
}

interface Waiting {
  skill: string
  effects: Effects | null
  ms: number
  timer: NodeJS.Timeout | null
  /** How many requests are being carried out, and how many there were. */
  open: number
  count: number
  settle(ended: Ended): void
}

type Ended = { text: string } | { error: JailError }

/** The calls of a ring that have not been answered yet. */
export class Calls {
  readonly #limits: JailLimits
  readonly #waiting = new Map<number, Waiting>()
  /** Told when a call takes too long; the ring must end what it is in. */
  readonly #overran: (skill: string) => void
  #last = 0

  constructor(limits: JailLimits, overran: (skill: string) => void) {
    this.#limits = limits
    this.#overran = overran
  }

  /** A number for a call that is awaited elsewhere. */
  next(): number {
    return ++this.#last
  }

  /** Begins a call, which `send` sends; resolves to the value in its reply. */
  async begin(
    skill: string,
    ms: number,
    effects: Effects | null,
    send: (id: number) => void,
  ): Promise<unknown> {
    const id = this.next()
    const { promise, resolve: settle } = Promise.withResolvers<Ended>()
    const waiting: Waiting = { skill, effects, ms, timer: null, open: 0, count: 0, settle }
    this.#waiting.set(id, waiting)
    wind(waiting, this.#overran)
    send(id)
    const result = await promise
    this.#waiting.delete(id)
    if ('error' in result) throw result.error
    return readReply(result.text, skill, this.#limits.textMax)
  }

  /** The reply to a call has come. */
  reply(id: number, text: string): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    stop(waiting)
    waiting.settle({ text })
  }

  /** A call makes a request; its answer goes to `send` as a text. Never throws. */
  async effect(id: number, text: string, send: (answer: string) => void): Promise<void> {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    stop(waiting)
    waiting.open++
    waiting.count++
    const answer = await carriedOut(waiting, text, this.#limits)
    waiting.open--
    if (this.#waiting.get(id) !== waiting) return
    if (waiting.open === 0) wind(waiting, this.#overran)
    send(JSON.stringify(answer))
  }

  /** Ends all calls, or those of one skill, with this error. */
  fail(error: JailError, skill: string | null = null): void {
    for (const waiting of this.#waiting.values()) {
      if (skill !== null && waiting.skill !== skill) continue
      stop(waiting)
      waiting.settle({ error })
    }
  }
}

function wind(waiting: Waiting, overran: (skill: string) => void): void {
  waiting.timer = setTimeout(() => {
    const error = new JailError('overran', `it did not return within ${waiting.ms} ms`)
    waiting.settle({ error })
    overran(waiting.skill)
  }, waiting.ms)
}

function stop(waiting: Waiting): void {
  clearTimeout(waiting.timer ?? undefined)
  waiting.timer = null
}

const requestSchema = z.object({
  tool: z.string().max(64),
  args: z.record(z.string(), z.unknown()).default({}),
})

async function carriedOut(
  { count, effects }: Waiting,
  text: string,
  { effectsMax, textMax }: JailLimits,
): Promise<{ ok: boolean; text: string }> {
  if (effects === null) return { ok: false, text: 'Nothing can be called from here.' }
  if (count > effectsMax) return { ok: false, text: `Only ${effectsMax} calls may be made.` }
  try {
    const request = requestSchema.safeParse(readPlain(text, textMax))
    if (!request.success) return { ok: false, text: 'Expected the name of a tool and arguments.' }
    return await effects(request.data.tool, request.data.args)
  } catch (error) {
    const isOurs = error instanceof JailError
    return { ok: false, text: isOurs ? error.message : 'It could not be called.' }
  }
}
