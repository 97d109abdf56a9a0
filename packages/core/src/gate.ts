import { z } from 'zod'
import { type Action, parseAction, type Signal } from './signal.ts'

/** What a gate says about an action. A rule is a short dotted name for the one that decided. */
export type Verdict =
  | { kind: 'pass'; rule?: string | undefined }
  | { kind: 'change'; action: Action; rule?: string | undefined }
  | { kind: 'reject'; reason: string; rule?: string | undefined }
  | { kind: 'approval'; reason: string; rule?: string | undefined }

/** What a gate may know about a tool. */
export interface ToolFacts {
  parameters: z.ZodObject
  readOnly: boolean
  permission?: 'allow' | 'ask' | 'deny' | undefined
  reach?: 'notes' | undefined
}

/** The circumstances of an action. Paths are absolute. */
export interface GateContext {
  signal: Signal
  tools: ReadonlyMap<string, ToolFacts>
  home: string
  memexDir: string
  stateDir: string
  /** The path with symbolic links resolved; the path itself where nothing exists. */
  realPaths(path: string): string
  /** What the owner has said in this conversation, oldest first; nobody else's words are here. */
  ownerWords: readonly string[]
  /** What skills have found out for their own gates, by the skill's name. */
  facts: Readonly<Record<string, unknown>>
}

/** A pure function over actions. Higher priorities are asked first. */
export interface Gate {
  name: string
  priority: number
  check(action: Action, context: GateContext): Verdict
}

const rule = z.string().max(100).optional()

const verdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pass'), rule }),
  z.object({ kind: z.literal('change'), action: z.unknown(), rule }),
  z.object({ kind: z.literal('reject'), reason: z.string(), rule }),
  z.object({ kind: z.literal('approval'), reason: z.string(), rule }),
])

/** The gate's verdict; a gate that throws or answers out of shape rejects. Never throws. */
export function askGate(gate: Gate, action: Action, context: GateContext): Verdict {
  try {
    const answer = verdictSchema.safeParse(gate.check(frozenCopy(action), ownContext(context)))
    if (!answer.success) return broken(gate, 'its verdict is out of shape')
    const verdict = answer.data
    if (verdict.kind !== 'change') return verdict
    const changed = parseAction(verdict.action)
    if (!changed.ok) return broken(gate, `it changed the action into none: ${changed.reason}`)
    return { ...verdict, action: changed.value }
  } catch (error) {
    return broken(gate, error instanceof Error ? error.message : String(error))
  }
}

function broken(gate: Gate, reason: string): Verdict {
  return { kind: 'reject', reason: `The gate ${gate.name} is broken: ${reason}` }
}

function ownContext(context: GateContext): GateContext {
  const { signal, tools } = context
  return { ...context, signal: frozenCopy(signal), tools: new Map(tools) }
}

function frozenCopy<T>(value: T): T {
  const copy = structuredClone(value)
  freezeDeep(copy)
  return copy
}

function freezeDeep(value: unknown): void {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) freezeDeep(part)
}
