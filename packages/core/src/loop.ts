import { act, tell } from './act.ts'
import { type Approval, actionDigest } from './approvals.ts'
import type { Decision } from './flight-plans.ts'
import { Floor } from './floor.ts'
import { byOwner } from './history.ts'
import { admit, type Percept, perceive, withoutTokens } from './perceive.ts'
import { reason } from './reason.ts'
import { ingestMemex, type Runtime, withTarget } from './runtime.ts'
import type { Signal } from './signal.ts'
import { DatabaseError } from './sqlite.ts'
import { remember } from './standing.ts'
import type { Snapshot } from './store.ts'
import { conclude, denialTrace, resumed } from './suspend.ts'

/** The pipeline around a runtime. */
export interface Loop {
  /** Takes a signal from a client; resolves when its turn is over. Never rejects. */
  process(signal: Signal): Promise<void>
  /** Takes a signal of the daemon's own, such as a heartbeat. Never rejects. */
  tellItself(signal: Signal): Promise<void>
  /** Runs something while no turn works; a turn may be waiting for a model. Rejects as it does. */
  between<T>(work: () => T | Promise<T>): Promise<T>
  /** Resolves when all turns that have begun or wait are over. */
  idle(): Promise<void>
  /** Stops the turns that have begun, as far as they can be stopped. */
  interrupt(): void
  /** Begins no turn any more, and stops listening to the file of plans. */
  close(): void
}

/** A turn under way. */
interface Turn {
  abort: AbortController
  /** What memory goes back to when it breaks. */
  before: Snapshot
}

const waitingMax = 100
const depthMax = 10

/** Connects the stages around this runtime. */
export function createLoop(runtime: Runtime): Loop {
  const floor = new Floor()
  const turns = new Map<string, Turn>()
  const speaker = letSpeak(runtime, floor)
  const lanes = new Lanes()
  let isClosed = false
  const take = async (lane: string, begin: () => Opening | null) => {
    await floor.take()
    const turn = { abort: new AbortController(), before: runtime.store.snapshot() }
    turns.set(lane, turn)
    speaker.now = turn
    try {
      const opening = begin()
      if (opening !== null) await runTurn(runtime, opening, turn)
    } catch {
      runtime.log('error', 'a turn ended in an error that could not be reported')
    }
    speaker.now = null
    turns.delete(lane)
    floor.give()
  }
  const queue = (signal: Signal): Promise<void> => {
    const lane = signal.meta.sessionId ?? ''
    if (lanes.waiting >= waitingMax) {
      return Promise.resolve(tell(runtime, signal, 'Too much is waiting; try again in a moment.'))
    }
    const begin = () => ({ signal: withoutTokens(runtime, signal), percept: null })
    return lanes.add(lane, () => (isClosed ? refuse(runtime, signal) : take(lane, begin)))
  }
  runtime.flightPlans.watch((decision) => {
    const lane = laneOf(runtime, decision)
    void lanes.add(lane, async () => {
      if (!isClosed) await take(lane, () => decided(runtime, decision))
    })
  })
  return {
    async process(given) {
      const signal = admit(given)
      if (signal === null) tell(runtime, given, 'That sensor is not yours.')
      else if (signal.payload.sensor !== 'interrupt') await queue(signal)
      else turns.get(signal.meta.sessionId ?? '')?.abort.abort()
    },
    tellItself: queue,
    async between(work) {
      await floor.take()
      try {
        return await work()
      } finally {
        floor.give()
      }
    },
    idle: () => lanes.idle(),
    interrupt() {
      for (const { abort } of turns.values()) abort.abort()
    },
    close() {
      isClosed = true
      runtime.flightPlans.rest()
    },
  }
}

class Lanes {
  waiting = 0
  readonly #last = new Map<string, Promise<void>>()

  /** Hangs work, which must not reject, behind what waits in a lane. */
  add(lane: string, work: () => Promise<void>): Promise<void> {
    this.waiting++
    const end = (this.#last.get(lane) ?? Promise.resolve()).then(work).finally(() => {
      this.waiting--
      if (this.#last.get(lane) === end) this.#last.delete(lane)
    })
    this.#last.set(lane, end)
    return end
  }

  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }
}

/** The lane of the session that a plan belongs to. */
function laneOf({ approvals }: Runtime, { id }: Decision): string {
  return approvals.open().find((open) => open.id === id)?.signal.meta.sessionId ?? ''
}

async function refuse(runtime: Runtime, signal: Signal): Promise<void> {
  tell(runtime, signal, 'The daemon is stopping; nothing was done.')
  endTurn(runtime, signal)
}

/** Lets whoever is asked for an answer be waited for without the floor. */
function letSpeak(runtime: Runtime, floor: Floor): { now: Turn | null } {
  const speaker: { now: Turn | null } = { now: null }
  runtime.away = async (work) => {
    const turn = speaker.now
    if (turn === null || runtime.author !== byOwner) return work()
    const { asking, entry } = runtime
    const resume = runtime.trace.suspend()
    const left = runtime.store.snapshot()
    speaker.now = null
    runtime.asking = null
    floor.give()
    try {
      return await work()
    } finally {
      await floor.take()
      speaker.now = turn
      runtime.entry = entry
      runtime.asking = asking
      resume()
      const now = runtime.store.snapshot()
      if (left.files.changes(now.files).length > 0) turn.before = now
    }
  }
  return speaker
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

async function runTurn(runtime: Runtime, opening: Opening, turn: Turn): Promise<void> {
  const first = opening.signal
  const abort = turn.abort.signal
  let cause = runtime.trace.begin(first)
  runtime.entry = cause
  runtime.asking = first.meta
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
    for (const path of turn.before.files.changes(files)) runtime.stamps.delete(path)
    runtime.store.restore(turn.before)
    runtime.log('error', `loop-error: ${message}`)
    const isSentence = error instanceof DatabaseError
    tell(runtime, first, isSentence ? message : `Something went wrong inside: ${message}`)
  }
  if (abort.aborted) runtime.trace.record({ kind: 'interrupt' })
  runtime.trace.end()
  await settled(runtime, first)
  runtime.asking = null
  endTurn(runtime, first)
}

function endTurn({ reply, scopes }: Runtime, { depth, meta }: Signal): void {
  const scope = scopes.of(meta.sessionId ?? '').at(-1) ?? 'memex'
  const where = scope === 'memex' ? {} : { scope }
  reply({ type: 'status', meta, payload: { action: 'turn-end', ...where }, depth })
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
  if ((thread.payload.text ?? '') === '') return null
  const { action } = await reason(runtime, thread, abort, denialTrace(approval))
  const again = actionDigest(withTarget(runtime, thread, action))
  return again === approval.digest ? null : act(runtime, thread, action, null, abort)
}

function notice(runtime: Runtime, signal: Signal, text: string): void {
  const payload = { action: 'notice', text }
  runtime.reply({ type: 'status', meta: signal.meta, payload, depth: signal.depth })
}
