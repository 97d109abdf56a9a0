import { gateContext, type Runtime, withTarget } from './runtime.ts'
import { type Action, messageAction, type Signal } from './signal.ts'
import { think } from './think.ts'
import { verdictRecord } from './trace.ts'
import { objections, settle } from './verify.ts'

/** An action for the next stage, which verifies it again. */
export interface Reasoned {
  action: Action
  /** How many proposals were made. */
  tries: number
  /** Providers that failed before one answered, in words. */
  failures: string[]
}

const triesMax = 3

/** Finds an action that the gates do not reject, or one that tells the owner why there is none. */
export async function reason(
  runtime: Runtime,
  signal: Signal,
  abort: AbortSignal,
  objection?: string,
): Promise<Reasoned> {
  let trace = objection
  let failures: string[] = []
  for (let tries = 1; tries <= triesMax; tries++) {
    const thought = await think(runtime, signal, abort, trace)
    failures = thought.failures
    if (abort.aborted) return { action: messageAction('Stopped.'), tries, failures }
    if (thought.provider === null) return { action: nobodyAnswered(failures), tries, failures: [] }
    if (thought.proposal.ok) {
      const proposed = withTarget(runtime, signal, thought.proposal.value)
      const begun = performance.now()
      const result = settle(runtime.gates, proposed, gateContext(runtime, signal))
      runtime.trace.record(verdictRecord('reason', proposed, result, performance.now() - begun))
      if (result.kind !== 'reject') return { action: result.action, tries, failures }
      trace = objections(result.records)
    } else trace = `The proposal could not be read: ${thought.proposal.reason}`
    runtime.log('info', `proposal ${tries} rejected: ${trace}`)
  }
  const text = `I found no way to do this that is allowed.\n${trace}`
  return { action: messageAction(text), tries: triesMax, failures }
}

function nobodyAnswered(failures: readonly string[]): Action {
  const why = failures.length === 0 ? 'No provider is configured.' : failures.join('\n')
  return messageAction(`Nobody could answer.\n${why}`)
}
