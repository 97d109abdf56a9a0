import { objections, settle, type VerifyResult } from '../approval/verify.ts'
import { type Action, messageAction, type Signal } from '../contract/signal.ts'
import { type Tier, tierAbove } from '../mind/tier.ts'
import { type AnswerStream, openStream } from './answer-stream.ts'
import { gateContext, withTarget } from './gate-context.ts'
import type { Runtime } from './runtime.ts'
import { type Thought, think } from './think.ts'
import { verdictRecord } from './trace.ts'

/** One try. */
interface ReasonStep {
  thought: Thought
  /** What the gates said; null when there was nothing to judge. */
  verdict: VerifyResult | null
}

/** An action for the next stage, which verifies it again. */
interface Reasoned {
  action: Action
  /** How many proposals were made. */
  tries: number
  /** Providers that failed before one answered, in words. */
  failures: string[]
  /** Every try, in order. */
  steps: ReasonStep[]
}

const triesMax = 3

/** Finds an action that the gates do not reject, or one that tells the owner why there is none. */
export async function reason(
  runtime: Runtime,
  signal: Signal,
  abort: AbortSignal,
  objection?: string,
): Promise<Reasoned> {
  const steps: ReasonStep[] = []
  const failures = new Set<string>()
  const done = (action: Action, told: Iterable<string> = failures): Reasoned => ({
    action,
    tries: steps.length,
    failures: [...told],
    steps,
  })
  let trace = objection
  let tier: Tier | undefined
  while (steps.length < triesMax) {
    if (steps.length === triesMax - 1 && tier !== undefined)
      tier = tierAbove(runtime.mind.tiers, signal, tier)
    const stream = steps.length === 0 ? openStream(runtime, signal) : null
    const options = { rejectionTrace: trace, tier, listener: stream?.listener }
    const thought = await think(runtime, signal, abort, options)
    for (const failure of thought.failures) failures.add(failure)
    const step = await judge(runtime, signal, thought)
    steps.push(step)
    await finish(stream, step, abort)
    if (abort.aborted) return done(messageAction('Stopped.'), [])
    if (thought.brokenOff !== null) return done(brokeOff(thought.brokenOff), [])
    if (thought.provider === null) return done(nobodyAnswered(thought.failures), [])
    if (step.verdict !== null && step.verdict.kind !== 'reject') return done(step.verdict.action)
    trace = objectionsOf(step)
    tier = thought.tier
    runtime.log('info', `proposal ${steps.length} rejected: ${trace}`)
  }
  return done(messageAction(`I found no way to do this that is allowed.\n${trace}`))
}

function objectionsOf({ thought, verdict }: ReasonStep): string {
  if (verdict !== null) return objections(verdict.records)
  const { action } = thought
  return `The proposal could not be read: ${action.ok ? '' : action.reason}`
}

const byRules = 'No model could answer, so the planner did, which works by rules.'

async function judge(runtime: Runtime, signal: Signal, thought: Thought): Promise<ReasonStep> {
  if (thought.provider === null || !thought.action.ok) return { thought, verdict: null }
  const { value } = thought.action
  const isSpoken = thought.exhausted && thought.rules && value.payload.action === 'message'
  const action = isSpoken
    ? { ...value, payload: { ...value.payload, text: `${byRules}\n\n${value.payload.text}` } }
    : value
  const proposed = withTarget(runtime, signal, action)
  const begun = performance.now()
  const verdict = await settle(runtime.gates, proposed, gateContext(runtime, signal))
  runtime.trace.record(verdictRecord('reason', proposed, verdict, performance.now() - begun))
  return { thought, verdict }
}

async function finish(
  stream: AnswerStream | null,
  step: ReasonStep,
  abort: AbortSignal,
): Promise<void> {
  if (stream === null) return
  const { thought, verdict } = step
  if (abort.aborted) stream.end('interrupted')
  else if (thought.brokenOff !== null) stream.end('broken off')
  else if (verdict === null || verdict.kind !== 'pass') stream.end('withdrawn')
  else if (verdict.action.payload.action !== 'message') await stream.beforeAction()
  else stream.complete(verdict.action.payload.text ?? '')
}

function nobodyAnswered(failures: readonly string[]): Action {
  const why = failures.length === 0 ? 'No provider is configured.' : failures.join('\n')
  return messageAction(`Nobody could answer.\n${why}`)
}

function brokeOff(failure: string): Action {
  return messageAction(`The answer broke off: ${failure}`)
}
