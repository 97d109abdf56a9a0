import type { z } from 'zod'
import type { Runtime } from '../pipeline/runtime.ts'
import type { ForeignTool } from './gate.ts'
import type { Action, Signal } from './signal.ts'

/** What a tool's body and guard get besides their arguments. */
export interface ToolContext {
  runtime: Runtime
  signal: Signal
  /** Aborted when the owner stops the turn and when the tool's time is up. */
  abort: AbortSignal
}

/** How a call ended. */
export type ToolResult =
  | { status: 'success'; content: string; origin?: 'web' | 'message' | undefined }
  | { status: 'error'; message: string }

/** One thing that a model may ask for. */
export interface Tool {
  /** Lower case with dashes, unique in the daemon. */
  name: string
  /** For the model: what it does and when to use it. */
  description: string
  parameters: z.ZodObject
  /** It changes nothing. */
  readOnly: boolean
  /** Whether a call may run, asks the owner, or never runs, where the owner has no rule of their own. */
  permission?: 'allow' | 'ask' | 'deny'
  /**
   * All it changes are the owner's notes, whatever its arguments are; or whatever it is given goes
   * to somebody else's program.
   */
  reach?: 'notes' | 'elsewhere'
  /** For a tool of another program: what is known of it. */
  foreign?: ForeignTool
  /** How long a call may take, in milliseconds; half a minute by default. */
  timeoutMs?: number
  /** An objection to these parsed arguments, or null. */
  guard?(args: Record<string, unknown>, context: ToolContext): string | null
  /** What the call would change, as a diff for the owner, or null. It looks and does not touch. */
  preview?(args: Record<string, unknown>, context: ToolContext): Promise<string | null>
  /** Does it. The arguments have been parsed by `parameters`. */
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolResult>
}

/** A way into the world. */
export interface Actuator {
  /** The name that an action's target uses. */
  name: string
  /** Its results are not fed back. */
  silent: boolean
  /**
   * Carries out an action that every gate has passed; returns feedback or null.
   * When `abort` fires it ends early, and still returns what there is to tell.
   */
  dispatch(
    action: Action,
    signal: Signal,
    runtime: Runtime,
    abort: AbortSignal,
  ): Promise<Signal | null>
}
