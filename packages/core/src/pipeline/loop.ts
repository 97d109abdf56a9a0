import { remember } from '../approval/always-allow.ts'
import { type Approval, actionDigest } from '../approval/approvals.ts'
import type { Decision } from '../approval/flight-plans.ts'
import { messageOf } from '../base/printing.ts'
import { DatabaseError } from '../base/sqlite-access.ts'
import { type Signal, turnEnd } from '../contract/signal.ts'
import { MemexError } from '../memex/memex.ts'
import { byOwner } from '../memory/history.ts'
import type { Snapshot } from '../memory/store.ts'
import { act, tell } from './act.ts'
import { withTarget } from './gate-context.ts'
import { ingestMemex } from './ingest.ts'
import { admit, type Percept, perceive, withoutTokens } from './perceive.ts'
import { reason } from './reason.ts'
import type { Runtime } from './runtime.ts'
import { conclude, denialTrace, resumed } from './suspend.ts'
import { TraceError } from './trace.ts'
import { Floor } from './turn-mutex.ts'
import { TurnQueue } from './turn-queue.ts'

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

const depthMax = 10

/** Connects the stages around this runtime. */
export function createLoop(runtime: Runtime): Loop {
  const floor = new Floor()
  const turns = new Map<string, Turn>()
  const speaker = letSpeak(runtime, floor)
  const queue = new TurnQueue()
  let isClosed = false
  const take = async (session: string, begin: () => Opening) => {
    const turn = { abort: new AbortController(), before: runtime.store.snapshot() }
    turns.set(session, turn)
    await floor.take()
    turn.before = runtime.store.snapshot()
    speaker.now = turn
    try {
      await runTurn(runtime, begin(), turn)
    } finally {
      speaker.now = null
      turns.delete(session)
      floor.give()
    }
  }
  const add = (signal: Signal): Promise<void> => {
    const session = signal.meta.sessionId ?? ''
    const begin = () => ({ signal: withoutTokens(runtime, signal), percept: null })
    const work = () => (isClosed ? tell(runtime, signal, stopping) : take(session, begin))
    const begun = queue.add(session, () => turn(runtime, signal, work), lengthOf(signal))
    return begun ?? turn(runtime, signal, () => tell(runtime, signal, full))
  }
  runtime.flightPlans.watch((decision) => {
    const session = sessionOf(runtime, decision)
    void queue.addAlways(session, async () => {
      const approval = isClosed ? null : runtime.approvals.take(decision.id)
      if (approval === null) return
      const begin = () => decided(runtime, approval, decision)
      await turn(runtime, unnamed(approval.signal), () => take(session, begin))
    })
  })
  return {
    async process(given) {
      const signal = admit(given)
      if (signal === null) await turn(runtime, given, () => tell(runtime, given, notYours))
      else if (signal.payload.sensor !== 'interrupt') await add(signal)
      else turns.get(signal.meta.sessionId ?? '')?.abort.abort()
    },
    tellItself: add,
    async between(work) {
      await floor.take()
      try {
        return await work()
      } finally {
        floor.give()
      }
    },
    idle: () => queue.idle(),
    interrupt() {
      for (const { abort } of turns.values()) abort.abort()
    },
    close() {
      isClosed = true
      runtime.flightPlans.rest()
    },
  }
}

const notYours = 'That sensor is not yours.'
const full = 'Too much is waiting in this session; try again in a moment.'
const stopping = 'The daemon is stopping; nothing was done.'
const stopped = 'Stopped. What had been done by then stays done.'

/** The characters of what a signal carries. */
function lengthOf({ payload }: Signal): number {
  return Object.values(payload).reduce<number>(
    (sum, part) => sum + (typeof part === 'string' ? part.length : 0),
    0,
  )
}

/** The session that a plan belongs to. */
function sessionOf({ approvals }: Runtime, { id }: Decision): string {
  return approvals.open().find((open) => open.id === id)?.signal.meta.sessionId ?? ''
}

async function turn(
  runtime: Runtime,
  { meta }: Signal,
  work: () => void | Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    runtime.log('error', `a turn ended in an error that could not be reported: ${messageOf(error)}`)
  } finally {
    const scope = runtime.scopes.of(meta.sessionId ?? '').at(-1) ?? 'memex'
    try {
      runtime.reply(turnEnd(meta, scope === 'memex' ? {} : { scope }))
    } catch (error) {
      runtime.log('error', `the end of a turn could not be announced: ${messageOf(error)}`)
    }
  }
}

function unnamed({ meta: { turn: _, ...meta }, ...signal }: Signal): Signal {
  return { ...signal, meta }
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

function decided(runtime: Runtime, approval: Approval, { approved }: Decision): Opening {
  const percept: Percept = { kind: approved ? 'approved' : 'denied', approval }
  return { signal: resumed(runtime, approval, null), percept }
}

async function runTurn(runtime: Runtime, opening: Opening, turn: Turn): Promise<void> {
  const first = opening.signal
  const abort = turn.abort.signal
  let cause = runtime.trace.begin(first)
  let told = ''
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
    if (next !== null && abort.aborted) tell(runtime, first, stopped)
  } catch (error) {
    const message = messageOf(error)
    runtime.trace.record({ kind: 'error', text: message })
    const { files } = runtime.store.snapshot()
    for (const path of turn.before.files.changes(files)) runtime.stamps.delete(path)
    runtime.store.restore(turn.before)
    runtime.log('error', `loop-error: ${message}`)
    const isSentence = [DatabaseError, MemexError, TraceError].some((kind) => error instanceof kind)
    tell(runtime, first, isSentence ? message : `Something went wrong inside: ${message}`)
    told = message
  }
  if (abort.aborted) runtime.trace.record({ kind: 'interrupt' })
  runtime.trace.end()
  await settled(runtime, first, told)
  runtime.asking = null
}

async function settled(runtime: Runtime, first: Signal, told: string): Promise<void> {
  try {
    await runtime.trace.flush()
  } catch (error) {
    const message = messageOf(error)
    runtime.log('error', message)
    if (message !== told) tell(runtime, first, message)
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
