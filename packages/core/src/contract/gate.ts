import type { z } from 'zod'
import { messageOf } from '../base/printing.ts'
import { wideningOf } from './narrowing.ts'
import { type Action, parseAction, type Signal } from './signal.ts'

/** What a gate says about an action. A rule is a short dotted name for the one that decided. */
export type Verdict =
  | { kind: 'pass'; rule?: string | undefined }
  | { kind: 'change'; action: Action; rule?: string | undefined }
  | { kind: 'reject'; reason: string; rule?: string | undefined }
  | { kind: 'approval'; reason: string; rule?: string | undefined }

/** What is known of a tool that is another program's. */
export interface ForeignTool {
  /** SHA-256 of all that the program says of the tool, in hex, as the owner approved it. */
  definition: string
  /** Whether it says that it destroys something. That it says otherwise counts for nothing. */
  destroys: boolean
  /** The owner's words for it: the program, its arguments, its address. */
  configured: readonly string[]
}

/** What a gate may know about a tool. */
export interface ToolFacts {
  parameters: z.ZodObject
  readOnly: boolean
  permission?: 'allow' | 'ask' | 'deny' | undefined
  reach?: 'notes' | 'elsewhere' | undefined
  /** Absent for a tool of this program. */
  foreign?: ForeignTool | undefined
}

/** The circumstances of an action. Paths are absolute. */
export interface GateContext {
  signal: Signal
  tools: ReadonlyMap<string, ToolFacts>
  home: string
  memexDir: string
  stateDir: string
  /** The path with symbolic links resolved; the path itself where nothing exists. */
  realPaths: (path: string) => string
  /** What the owner has said in this conversation, oldest first; nobody else's words are here. */
  ownerWords: readonly string[]
  /** What skills have found out for their own gates, by the skill's name. */
  facts: Readonly<Record<string, unknown>>
}

/** A pure function over actions. Higher priorities are asked first. */
export interface Gate {
  name: string
  priority: number
  /** Loads what judging this action will take; not in the gate's time, and no part of its verdict. */
  prepare?: (action: Action) => void
  check(action: Action, context: GateContext): Verdict
  /** Where its code is, when it is not here; `check` is not called then. */
  panel?: GatePanel
}

/** Gates whose code is elsewhere, and which are asked together. */
export interface GatePanel {
  /** What each gate says, in the order of the gates. */
  ask(gates: readonly Gate[], action: Action, context: GateContext): Promise<PanelAnswer[]>
}

/** What a gate said, or why it said nothing, and how long it took. */
export type PanelAnswer = ({ said: unknown } | { error: Error }) & { micros: number }

const depthMax = 64

/** A deep copy that nobody can write to. Throws for functions and for what is nested without end. */
export function frozenCopy<T>(value: T, depth = 0): T {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value
  if (depth > depthMax) throw new RangeError('Expected data that is not nested so deep')
  if (Array.isArray(value)) {
    return Object.freeze(value.map((part: unknown) => frozenCopy(part, depth + 1))) as T
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value)
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const given = (value as Record<string, unknown>)[key]
    const part = typeof given === 'string' ? given : frozenCopy(given, depth + 1)
    if (key === '__proto__') Object.defineProperty(copy, key, { value: part, enumerable: true })
    else copy[key] = part
  }
  return Object.freeze(copy) as T
}

class ToolView implements ReadonlyMap<string, ToolFacts> {
  readonly #tools: ReadonlyMap<string, ToolFacts>

  constructor(tools: ReadonlyMap<string, ToolFacts>) {
    this.#tools = tools
    Object.freeze(this)
  }
  get size(): number {
    return this.#tools.size
  }
  has(name: string): boolean {
    return this.#tools.has(name)
  }
  get(name: string): ToolFacts | undefined {
    const tool = this.#tools.get(name)
    return tool && factsOf(tool)
  }
  keys(): MapIterator<string> {
    return this.#tools.keys()
  }
  *entries(): MapIterator<[string, ToolFacts]> {
    for (const name of this.#tools.keys()) yield [name, this.get(name)!]
  }
  *values(): MapIterator<ToolFacts> {
    for (const name of this.#tools.keys()) yield this.get(name)!
  }
  [Symbol.iterator](): MapIterator<[string, ToolFacts]> {
    return this.entries()
  }
  forEach(each: (facts: ToolFacts, name: string, map: ReadonlyMap<string, ToolFacts>) => void) {
    for (const [name, facts] of this) each(facts, name, this)
  }
}

const known = new WeakMap<ToolFacts, ToolFacts>()

/** What a tool says of itself, without what it can do. */
function factsOf(tool: ToolFacts): ToolFacts {
  const found = known.get(tool)
  if (found !== undefined) return found
  const said = Object.entries(tool).filter(([, value]) => typeof value !== 'function')
  const facts = Object.freeze(Object.fromEntries(said)) as unknown as ToolFacts
  known.set(tool, facts)
  return facts
}

const views = new WeakMap<ReadonlyMap<string, ToolFacts>, ToolView>()

/** The context as gates may have it. Throws when the signal cannot be copied. */
export function frozenContext(context: GateContext): GateContext {
  const { ownerWords, signal, tools } = context
  const view = views.get(tools) ?? new ToolView(tools)
  views.set(tools, view)
  const own = { signal: frozenCopy(signal), tools: view, ownerWords: frozenCopy(ownerWords) }
  return Object.freeze({ ...context, ...own })
}

const reasonMax = 4_000

/** A verdict, with fields of its own; null for what is none. */
function readVerdict(answer: unknown): Verdict | null {
  if (answer === null || typeof answer !== 'object') return null
  const { kind, reason, rule, action } = answer as Record<string, unknown>
  if (rule !== undefined && (typeof rule !== 'string' || rule.length > 100)) return null
  const named = rule === undefined ? {} : { rule }
  if (kind === 'pass') return { kind, ...named }
  if (kind === 'change') return { kind, action: action as Action, ...named }
  if ((kind !== 'reject' && kind !== 'approval') || typeof reason !== 'string') return null
  return { kind, reason: reason.slice(0, reasonMax), ...named }
}

/**
 * The gate's verdict; a gate that throws or answers out of shape rejects. Never throws.
 * What it is handed should come from `frozenCopy` and `frozenContext`.
 */
export function askGate(gate: Gate, action: Action, context: GateContext): Verdict {
  try {
    return verdictOf(gate, gate.check(action, context))
  } catch (error) {
    return broken(gate, messageOf(error))
  }
}

function verdictOf(gate: Gate, said: unknown): Verdict {
  const verdict = readVerdict(said)
  if (verdict === null) return broken(gate, 'its verdict is out of shape')
  if (verdict.kind !== 'change') return verdict
  const changed = parseAction(verdict.action)
  if (!changed.ok) return broken(gate, `it changed the action into none: ${changed.reason}`)
  return { ...verdict, action: frozenCopy(changed.value) }
}

/** The verdict in the answer of a panel's gate, which may only narrow the action. Never throws. */
export function panelVerdict(gate: Gate, answer: PanelAnswer, action: Action): Verdict {
  if ('error' in answer) return broken(gate, answer.error.message)
  const verdict = verdictOf(gate, answer.said)
  if (verdict.kind !== 'change') return verdict
  const field = wideningOf(action, verdict.action)
  if (field === null) return verdict
  const reason = `The gate ${gate.name} made another action of it (its ${field}); a gate may mask words of a message, or reject`
  return { kind: 'reject', reason, rule: 'gate.widened' }
}

/** The rejection of a gate that did not do its work. */
export function broken(gate: Gate, reason: string): Verdict {
  return {
    kind: 'reject',
    reason: `The gate ${gate.name} is broken: ${reason}`,
    rule: 'gate.broken',
  }
}
