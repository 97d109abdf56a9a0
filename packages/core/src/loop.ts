import { act, tell } from './act.ts'
import { type Approval, actionDigest } from './approvals.ts'
import type { Decision } from './flight-plans.ts'
import { admit, type Percept, perceive, withoutTokens } from './perceive.ts'
import { reason } from './reason.ts'
import { ingestMemex, type Runtime, withTarget } from './runtime.ts'
import type { Signal } from './signal.ts'
import { remember } from './standing.ts'
import { conclude, denialTrace, resumed } from './suspend.ts'

/** The pipeline around a runtime. */
export interface Loop {
  /** Takes a signal from a client; resolves when its turn is over. Never rejects. */
  process(signal: Signal): Promise<void>
  /** Resolves when all turns that have begun or wait are over. */
  idle(): Promise<void>
  /** Stops listening to the file of plans. */
  close(): void
}

const waitingMax = 100
const depthMax = 10

/** Connects the stages around this runtime. */
export function createLoop(runtime: Runtime): Loop {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  let running: { session: string | undefined; abort: AbortController } | null = null
  const take = async (begin: () => Opening | null) => {
    try {
      const opening = begin()
      const session = opening?.signal.meta.sessionId
      running = { session, abort: new AbortController() }
      if (opening !== null) await turn(runtime, opening, running.abort.signal)
    } catch {
      runtime.log('error', 'a turn ended in an error that could not be reported')
    }
    running = null
    waiting--
  }
  const queue = (begin: () => Opening | null) => {
    waiting++
    last = last.then(() => take(begin))
    return last
  }
  runtime.flightPlans.watch((decision) => void queue(() => decided(runtime, decision)))
  return {
    process(given) {
      const signal = admit(given)
      if (signal === null) return Promise.resolve(tell(runtime, given, 'That sensor is not yours.'))
      if (signal.payload.sensor === 'interrupt') {
        if (running?.session === signal.meta.sessionId) running?.abort.abort()
        return Promise.resolve()
      }
      if (waiting >= waitingMax) {
        return Promise.resolve(tell(runtime, signal, 'Too much is waiting; try again in a moment.'))
      }
      return queue(() => ({ signal: withoutTokens(runtime, signal), percept: null }))
    },
    idle: () => last,
    close: () => runtime.flightPlans.rest(),
  }
}

interface Opening {
  signal: Signal
  percept: Percept | null
}

function decided(runtime: Runtime, { id, approved }: Decision): Opening | null {
  const approval = runtime.approvals.take(id)
  if (approval === null) return null
  const percept: Percept = { kind: approved ? 'approved' : 'denied', approval }
  return { signal: resumed(runtime, approval, null), percept }
}

async function turn(runtime: Runtime, opening: Opening, abort: AbortSignal): Promise<void> {
  const first = opening.signal
  const before = runtime.store.snapshot()
  let cause = runtime.trace.begin(first)
  runtime.entry = cause
  try {
    ingestMemex(runtime)
    runtime.flightPlans.check()
    let { percept } = opening
    let next: Signal | null = first
    while (next !== null && !abort.aborted) {
      if (next.depth > depthMax) {
        tell(runtime, next, `I stopped after ${depthMax} steps.`)
        runtime.trace.record({ kind: 'stopped', text: `after ${depthMax} steps` })
        break
      }
      if (next !== first) {
        runtime.trace.end()
        cause = runtime.trace.begin(next, cause)
      }
      runtime.entry = cause
      percept ??= await perceive(runtime, next)
      const result = await step(runtime, next, percept, abort)
      next = result && withoutTokens(runtime, result)
      percept = null
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    runtime.trace.record({ kind: 'error', text: message })
    const { files } = runtime.store.snapshot()
    for (const path of before.files.changes(files)) runtime.stamps.delete(path)
    runtime.store.restore(before)
    runtime.log('error', `loop-error: ${message}`)
    tell(runtime, first, `Something went wrong inside: ${message}`)
  }
  if (abort.aborted) runtime.trace.record({ kind: 'interrupt' })
  runtime.trace.end()
  await settled(runtime, first)
  const payload = { action: 'turn-end' }
  runtime.reply({ type: 'status', meta: first.meta, payload, depth: first.depth })
}

async function settled(runtime: Runtime, first: Signal): Promise<void> {
  try {
    await runtime.trace.flush()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    runtime.log('error', message)
    tell(runtime, first, message)
  }
}

async function step(
  runtime: Runtime,
  signal: Signal,
  percept: Percept,
  abort: AbortSignal,
): Promise<Signal | null> {
  switch (percept.kind) {
    case 'done':
      return null
    case 'act':
      return act(runtime, signal, percept.action, null, abort)
    case 'approved': {
      const { approval } = percept
      const thread = resumed(runtime, approval, signal)
      if (thread.meta.sessionId !== signal.meta.sessionId) tell(runtime, signal, 'Approved.')
      if (percept.always !== undefined) tell(runtime, signal, remember(runtime, percept.always))
      runtime.trace.record({
        kind: 'approval',
        fields: { state: 'given', digest: approval.digest },
      })
      return act(runtime, thread, approval.action, approval, abort)
    }
    case 'denied':
      return denied(runtime, signal, percept.approval, abort)
    case 'reason': {
      const { action, failures } = await reason(runtime, signal, abort)
      for (const text of failures) notice(runtime, signal, text)
      return act(runtime, signal, action, null, abort)
    }
  }
}

/** The owner said no: the model hears it as a rejection, and may find another way. */
async function denied(
  runtime: Runtime,
  signal: Signal,
  approval: Approval,
  abort: AbortSignal,
): Promise<Signal | null> {
  runtime.refusals.add(approval)
  conclude(runtime, approval, 'DENIED')
  const thread = resumed(runtime, approval, signal)
  tell(runtime, signal, 'Denied. Nothing was done.')
  const fields = { state: 'denied', digest: approval.digest }
  runtime.trace.record({ kind: 'approval', fields })
  const { action } = await reason(runtime, thread, abort, denialTrace(approval))
  const again = actionDigest(withTarget(runtime, thread, action))
  return again === approval.digest ? null : act(runtime, thread, action, null, abort)
}

function notice(runtime: Runtime, signal: Signal, text: string): void {
  const payload = { action: 'notice', text }
  runtime.reply({ type: 'status', meta: signal.meta, payload, depth: signal.depth })
}
