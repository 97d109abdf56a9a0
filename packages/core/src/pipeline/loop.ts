import { remember } from '../approval/always-allow.ts'
import type { Approval } from '../approval/approvals.ts'
import type { Decision } from '../approval/flight-plans.ts'
import { messageOf } from '../base/printing.ts'
import { DatabaseError } from '../base/sqlite-access.ts'
import { type Signal, turnEnd } from '../contract/signal.ts'
import { MemexError } from '../memex/memex.ts'
import { byOwner } from '../memory/history.ts'
import type { Snapshot } from '../memory/store.ts'
import { tierOf } from '../mind/tier.ts'
import { act, tell } from './act.ts'
import { ingestMemex } from './ingest.ts'
import { admit, isDecision, type Percept, perceive, withoutTokens } from './perceive.ts'
import type { Runtime } from './runtime.ts'
import { conclude, resumed } from './suspend.ts'
import { TraceError } from './trace.ts'
import { continueTurn, runTurn } from './turn.ts'
import { Floor } from './turn-mutex.ts'
import { TurnQueue } from './turn-queue.ts'
import type { TurnContext } from './turn-state.ts'

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
  const waiting = new WaitingWords()
  let isClosed = false
  const take = async (session: string, begin: () => Opening) => {
    const turn = { abort: new AbortController(), before: runtime.store.snapshot() }
    turns.set(session, turn)
    await floor.take()
    turn.before = runtime.store.snapshot()
    speaker.now = turn
    try {
      await runAll(runtime, begin(), turn, () => waiting.take(session))
    } finally {
      speaker.now = null
      turns.delete(session)
      floor.give()
    }
  }
  const add = (signal: Signal): Promise<void> => {
    const session = signal.meta.sessionId ?? ''
    const begin = () => ({ signal: withoutTokens(runtime, signal), percept: null })
    const words = withoutTokens(runtime, signal)
    if (turns.has(session) && isForNow(runtime, words)) waiting.add(session, words)
    const work = () => {
      if (isClosed) return tell(runtime, signal, stopping)
      return waiting.isTaken(words) ? undefined : take(session, begin)
    }
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
    between: (work) => whileHeld(floor, work),
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

async function whileHeld<T>(floor: Floor, work: () => T | Promise<T>): Promise<T> {
  await floor.take()
  try {
    return await work()
  } finally {
    floor.give()
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

/** What was said in sessions while their turn was under way, and is heard by it or by nobody yet. */
class WaitingWords {
  readonly #waiting = new Map<string, Signal[]>()
  readonly #taken = new WeakSet<Signal>()

  add(session: string, words: Signal): void {
    this.#waiting.set(session, [...(this.#waiting.get(session) ?? []), words])
  }

  /** All that waits in a session, oldest first; it is heard by that. */
  take(session: string): readonly Signal[] {
    const words = this.#waiting.get(session) ?? []
    this.#waiting.delete(session)
    for (const one of words) this.#taken.add(one)
    return words
  }

  /** Whether a turn has heard these words; they wait no longer. */
  isTaken(words: Signal): boolean {
    const session = words.meta.sessionId ?? ''
    const rest = this.#waiting.get(session)?.filter((one) => one !== words) ?? []
    if (rest.length === 0) this.#waiting.delete(session)
    else this.#waiting.set(session, rest)
    return this.#taken.has(words)
  }
}

/** Whether words are for the turn that is under way. */
function isForNow(runtime: Runtime, words: Signal): boolean {
  const { meta, payload } = words
  const isSaid = payload.sensor === 'user-input' && meta.sessionId !== undefined
  if (!isSaid || (payload.text ?? '').trim() === '' || isDecision(payload.text ?? '')) return false
  return tierOf(runtime, words) !== 'reflex'
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
    const { asking, entry, turn: id } = runtime
    const resume = runtime.trace.suspend()
    const left = runtime.store.snapshot()
    speaker.now = null
    runtime.asking = null
    runtime.turn = null
    floor.give()
    try {
      return await work()
    } finally {
      await floor.take()
      speaker.now = turn
      runtime.entry = entry
      runtime.turn = id
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

async function runAll(
  runtime: Runtime,
  opening: Opening,
  turn: Turn,
  hear: () => readonly Signal[],
): Promise<void> {
  const first = opening.signal
  const abort = turn.abort.signal
  const context = { abort, hear }
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
      runtime.turn = cause
      percept ??= await perceive(runtime, next)
      const result = await step(runtime, next, percept, context)
      next = result && withoutTokens(runtime, result)
      percept = null
    }
    if (next !== null && abort.aborted) tell(runtime, first, stopped)
  } catch (error) {
    told = broken(runtime, first, turn, error)
  }
  runtime.trace.end()
  await settled(runtime, first, told)
  runtime.turn = null
  runtime.asking = null
}

/** Undoes what a broken turn has done to the memory, and says what was wrong. */
function broken(runtime: Runtime, first: Signal, turn: Turn, error: unknown): string {
  const message = messageOf(error)
  runtime.trace.record({ kind: 'error', text: message })
  const { files } = runtime.store.snapshot()
  for (const path of turn.before.files.changes(files)) runtime.stamps.delete(path)
  runtime.store.restore(turn.before)
  runtime.log('error', `loop-error: ${message}`)
  const isSentence = [DatabaseError, MemexError, TraceError].some((kind) => error instanceof kind)
  tell(runtime, first, isSentence ? message : `Something went wrong inside: ${message}`)
  return message
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
  context: TurnContext,
): Promise<Signal | null> {
  switch (percept.kind) {
    case 'done':
      return null
    case 'act':
      return act(runtime, signal, percept.action, null, context.abort)
    case 'approved':
      return approved(runtime, signal, percept, context)
    case 'denied':
      return denied(runtime, signal, percept.approval, context)
    case 'reason':
      return runTurn(runtime, signal, context)
  }
}

async function approved(
  runtime: Runtime,
  signal: Signal,
  { always, approval }: Extract<Percept, { kind: 'approved' }>,
  context: TurnContext,
): Promise<Signal | null> {
  const thread = resumed(runtime, approval, signal)
  if (thread.meta.sessionId !== signal.meta.sessionId) tell(runtime, signal, 'Approved.')
  if (always !== undefined) tell(runtime, signal, remember(runtime, always))
  const fields = { state: 'given', digest: approval.digest }
  runtime.trace.record({ kind: 'approval', fields })
  if (thread.meta.call === undefined) {
    return act(runtime, thread, approval.action, approval, context.abort)
  }
  return continueTurn(runtime, thread, { approval, isApproved: true }, context)
}

/** The owner said no: the model hears it as the result of its call, and may find another way. */
async function denied(
  runtime: Runtime,
  signal: Signal,
  approval: Approval,
  context: TurnContext,
): Promise<Signal | null> {
  runtime.refusals.add(approval)
  const thread = resumed(runtime, approval, signal)
  tell(runtime, signal, 'Denied. Nothing was done.')
  const fields = { state: 'denied', digest: approval.digest }
  runtime.trace.record({ kind: 'approval', fields })
  if (thread.meta.call !== undefined) {
    return continueTurn(runtime, thread, { approval, isApproved: false }, context)
  }
  conclude(runtime, approval, 'DENIED')
  return null
}
