import { z } from 'zod'

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
