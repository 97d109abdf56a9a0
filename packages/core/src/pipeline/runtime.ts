import type { z } from 'zod'
import type { Standing, StandingRules } from '../approval/always-allow.ts'
import type { Refusals } from '../approval/approvals.ts'
import type { FlightPlans } from '../approval/flight-plans.ts'
import type { Example, Proofs } from '../approval/rule-self-test.ts'
import type { Clock } from '../base/clock.ts'
import type { ForeignTool, Gate } from '../contract/gate.ts'
import type { Provider, TokenCounter } from '../contract/provider.ts'
import type { Action, Signal, SignalPayload } from '../contract/signal.ts'
import type { BreakerSettings, Breakers } from '../mind/breaker.ts'
import type { ConsensusSettings } from '../mind/consensus.ts'
import type { Persona, PromptSettings } from '../mind/prompt.ts'
import type { PromptMasks } from '../mind/prompt-mask.ts'
import type { StreamSettings, Streams } from '../mind/stream.ts'
import type { Tier, TierContext, TierSettings } from '../mind/tier.ts'
import type { Indexes } from '../search/indexes.ts'
import type { Results } from '../transcript/results.ts'
import type { SessionState } from '../wire/session-state.ts'
import type { LiveMemory } from './ingest.ts'
import type { Trace } from './trace.ts'
import type { TurnLimits } from './turn-budget.ts'

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
  /** It is offered in every turn; other tools come in with what a turn is about. */
  isCore?: boolean
  /** A turn in which it was called ends there. */
  endsTurn?: boolean
  /** How long a call may take, in milliseconds; half a minute by default. */
  timeoutMs?: number
  /** The action that a call of it stands for, which is judged and done in its place. */
  means?(args: Record<string, unknown>): Omit<Action, 'type'>
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

/** What a signal of this sensor leads to: an action, nothing (null), or a round of reason. */
export type SensorHandler = (
  signal: Signal,
  runtime: Runtime,
) => Action | 'reason' | null | Promise<Action | 'reason' | null>

/** One document's worth of behaviour. */
export interface Skill {
  /** Lower case with dashes, unique. */
  name: string
  /** One sentence for people. */
  description: string
  /** Names of skills that are loaded before this one. */
  dependsOn?: string[]
  /** Higher providers are asked first; 0 by default. */
  priority?: number
  /** Whether the skill's words belong to this signal; always, by default. */
  trigger?(signal: Signal): boolean
  /** Words for a model, or what there is to be said at this signal; empty for nothing. */
  prompt?: string | ((runtime: Runtime, signal: Signal) => string)
  /** Rules for the model, put last, where they weigh most. */
  mandates?: string
  /** What the skill's gates are told besides the action; asked once for each verification. */
  facts?: (runtime: Runtime, signal: Signal) => unknown
  /** Words of a request that bring in the tools of this skill which are not offered in every turn. */
  offeredFor?: readonly string[]
  /** Names of tools that a model is not offered for this signal; when it throws, no tool is. */
  hiddenTools?(runtime: Runtime, signal: Signal): readonly string[]
  /** How many characters behind its judgement an answer must be shown for this skill's gates. */
  holdBack?: (runtime: Runtime) => number
  /** How much thought this signal needs; null or nothing leaves it to others. */
  classify?(signal: Signal, runtime: Runtime): Tier | null | undefined
  /** The owner's standing yeses; one skill at most brings them. */
  standing?: StandingRules
  gates?: Gate[]
  /** What the rules of these gates must and must not match; tried when the skill is loaded. */
  examples?: () => Iterable<Example>
  tools?: Tool[]
  actuators?: Actuator[]
  providers?(runtime: Runtime): Provider[]
  sensors?: Record<string, SensorHandler>
  /** What the skill is told at times, by a signal of its own; see the scheduler. */
  jobs?: SkillJob[]
}

/** When something is to be done; the scheduler keeps to it. */
export interface JobTimes {
  /** Unique; under it the last run is remembered. */
  name: string
  /** A cron pattern, an interval, or the first date after a date; null for never. */
  when: string | { everyMs: number } | ((after: Date) => Date | null)
  /** Of a pattern; an IANA name. The machine's by default. */
  timezone?: string
  /** Up to so much later, by chance. */
  jitterMs?: number
  /** What becomes of runs that were missed; `once` by default. */
  missed?: 'once' | 'skip'
}

/** A time, and the payload of the signal that is sent then; its sensor is `job-…`. */
export interface SkillJob extends JobTimes {
  payload: SignalPayload | Look
}

/** Looks between two turns, changes no note, and returns what there is to be told; mostly nothing. */
type Look = (runtime: Runtime) => readonly JobWord[] | Promise<readonly JobWord[]>

/** One signal that a look leads to. */
export interface JobWord {
  payload: SignalPayload
  /** Whose words are in it; a tool's by default. */
  origin?: 'tool' | 'web' | 'message'
}

/** Where things are; absolute paths. */
export interface RuntimeConfig {
  home: string
  memexDir: string
  stateDir: string
  /** People on chat networks who may approve, each as `source:sender`. */
  approvers?: readonly string[]
  /** The tags of notes that no model gets to see; `private` by default. */
  privateTags?: readonly string[]
}

/** How thinking is done; each part is explained where it is used. */
export interface MindSettings {
  /** How long an answer may take when its provider does not say, in milliseconds. */
  answerTimeoutMs: number
  breaker: BreakerSettings
  /** Null for one model at a time. */
  consensus: ConsensusSettings | null
  tiers: TierSettings
  prompt: PromptSettings
  persona: Persona
  stream: StreamSettings
  /** What one turn may spend. */
  turn: TurnLimits
}

/** Everything that exists once in a daemon. */
export interface Runtime extends LiveMemory, PromptMasks, SessionState, Standing, TierContext {
  config: RuntimeConfig
  mind: MindSettings
  clock: Clock
  trace: Trace
  /** The trace entry of the signal under way; null between turns. */
  entry: string | null
  /** The first trace entry of the turn under way. */
  turn: string | null
  /** What the store can be asked by. */
  indexes: Indexes
  gates: Gate[]
  /** The examples that the gates are held to. */
  proofs: Proofs
  tools: Map<string, Tool>
  actuators: Map<string, Actuator>
  sensors: Map<string, SensorHandler>
  skills: Skill[]
  refusals: Refusals
  flightPlans: FlightPlans
  /** Which providers are left alone for now. */
  breakers: Breakers
  /** Which answers the clients have seen while they came. */
  streams: Streams
  /** The full texts of long results. */
  results: Results
  /** Counts what a text costs a model. */
  tokens: TokenCounter
  /** Sends a signal to the session in its `meta`; dropped when that is gone. Never throws. */
  reply(signal: Signal): void
  /** Waits for somebody else's answer while other sessions may work; the memory may differ afterwards. */
  away<T>(work: () => Promise<T>): Promise<T>
  /** What is read again when the owner says so, by name; each resolves to what is to be told. */
  reloaders: Map<string, () => Promise<string[]>>
}
