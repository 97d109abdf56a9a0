import { act, tell } from './act.ts'
import { admit, type Percept, perceive } from './perceive.ts'
import { reason } from './reason.ts'
import { ingestMemex, type Runtime } from './runtime.ts'
import type { Signal } from './signal.ts'

/** The pipeline around a runtime. */
export interface Loop {
  /** Takes a signal from a client; resolves when its turn is over. Never rejects. */
  process(signal: Signal): Promise<void>
  /** Resolves when all turns that have begun or wait are over. */
  idle(): Promise<void>
}

const waitingMax = 100
const depthMax = 10

/** Connects the stages around this runtime. */
export function createLoop(runtime: Runtime): Loop {
  let last: Promise<void> = Promise.resolve()
  let waiting = 0
  let running: { session: string | undefined; abort: AbortController } | null = null
  const take = async (signal: Signal) => {
    running = { session: signal.meta.sessionId, abort: new AbortController() }
    try {
      await turn(runtime, signal, running.abort.signal)
    } catch {
      runtime.log('error', 'a turn ended in an error that could not be reported')
    }
    running = null
    waiting--
  }
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
      waiting++
      last = last.then(() => take(signal))
      return last
    },
    idle: () => last,
  }
}

async function turn(runtime: Runtime, first: Signal, abort: AbortSignal): Promise<void> {
  const before = runtime.store.snapshot()
  let cause = runtime.trace.begin(first)
  try {
    ingestMemex(runtime)
    let next: Signal | null = first
    while (next !== null && !abort.aborted) {
      if (next.depth > depthMax) {
        tell(runtime, next, `I stopped after ${depthMax} steps.`)
        break
      }
      if (next !== first) cause = runtime.trace.begin(next, cause)
      next = await step(runtime, next, abort)
      if (next !== null) runtime.trace.end()
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    runtime.trace.record({ kind: 'error', text: message })
    runtime.store.restore(before)
    runtime.stamps.clear()
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

async function step(runtime: Runtime, signal: Signal, abort: AbortSignal): Promise<Signal | null> {
  const percept: Percept = await perceive(runtime, signal)
  switch (percept.kind) {
    case 'done':
      return null
    case 'act':
      return act(runtime, signal, percept.action, null, abort)
    case 'approved': {
      const { approval } = percept
      runtime.trace.record({
        kind: 'approval',
        fields: { state: 'given', digest: approval.digest },
      })
      return act(runtime, approval.signal, approval.action, approval, abort)
    }
    case 'reason': {
      const { action, failures } = await reason(runtime, signal, abort)
      for (const text of failures) notice(runtime, signal, text)
      return act(runtime, signal, action, null, abort)
    }
  }
}

function notice(runtime: Runtime, signal: Signal, text: string): void {
  const payload = { action: 'notice', text }
  runtime.reply({ type: 'status', meta: signal.meta, payload, depth: signal.depth })
}
