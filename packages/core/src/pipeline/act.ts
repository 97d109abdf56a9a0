import { standingYes } from '../approval/always-allow.ts'
import { type Approval, actionDigest } from '../approval/approvals.ts'
import { objections, settle, type VerifyResult } from '../approval/verify.ts'
import {
  type Action,
  isFromOutside,
  messageAction,
  type Provenance,
  type Signal,
  type SignalPayload,
} from '../contract/signal.ts'
import type { Memex } from '../memex/memex.ts'
import { byOwner } from '../memory/history.ts'
import { questionIn } from '../wire/session-state.ts'
import { beginDeed } from './action-events.ts'
import { gateContext, withTarget } from './gate-context.ts'
import { ingestChanged, ingestMemex, remember } from './ingest.ts'
import type { Runtime } from './runtime.ts'
import { carryOut, conclude, covers, isAsShown, suspend } from './suspend.ts'
import { type TraceRecord, textDigest, verdictRecord } from './trace.ts'

/** What the gates and the owner say to an action. */
export type Clearance =
  /** It may run, once and now. */
  | { kind: 'ready'; run: () => Promise<Ran> }
  /** Why not, for a model, and the same for the owner. */
  | { kind: 'refused'; reasons: string; told: string }
  /** The owner was asked. */
  | { kind: 'asked' }

/** What came of an action that has run. */
export interface Ran {
  /** The actuator's feedback; null when there is none. */
  feedback: Signal | null
  target: string
  ms: number
  /** The notes and files of the memex that it has changed. */
  changed: readonly string[]
}

/** Asks the gates about an action, and the owner where a gate says so. */
export async function clear(
  runtime: Runtime,
  signal: Signal,
  action: Action,
  approval: Approval | null,
  abort: AbortSignal,
): Promise<Clearance> {
  const targeted = withTarget(runtime, signal, action)
  if (!runtime.actuators.get(targeted.target ?? '')?.silent) {
    await announce(runtime, targeted)
    ingestMemex(runtime)
  }
  const begun = performance.now()
  const result = await settle(runtime.gates, targeted, gateContext(runtime, signal))
  runtime.trace.record(verdictRecord('act', result.action, result, performance.now() - begun))
  if (result.kind === 'reject') {
    conclude(runtime, approval, 'REFUSED')
    const reasons = objections(result.records)
    runtime.log('info', `refused ${action.target ?? 'a message'}: ${reasons}`)
    return { kind: 'refused', reasons, told: `That is not allowed.\n${reasons}` }
  }
  const isOther = approval !== null && approval.digest !== actionDigest(result.action)
  const isMoved = approval !== null && !isOther && !(await isAsShown(runtime, approval))
  if (isOther || isMoved || !(covers(approval, result) || mayByRule(runtime, signal, result))) {
    conclude(runtime, approval, 'REFUSED')
    return ask(runtime, signal, result, isMoved)
  }
  runtime.trace.record({ kind: 'dispatch', fields: { target: result.action.target ?? 'cli' } })
  const run = () => dispatch(runtime, signal, result.action, approval, abort)
  return { kind: 'ready', run }
}

/** Puts the question to the owner, unless it is not put any more. */
async function ask(
  runtime: Runtime,
  signal: Signal,
  result: VerifyResult,
  isMoved: boolean,
): Promise<Clearance> {
  const { isAsked, text } = await suspend(runtime, signal, result)
  if (!isAsked) return { kind: 'refused', reasons: text, told: text }
  const question = isMoved ? `${movedText}\n${text}` : text
  tell(runtime, signal, question, questionIn(runtime, question))
  const digest = actionDigest(result.action)
  runtime.trace.record({ kind: 'approval', fields: { state: 'asked', digest } })
  return { kind: 'asked' }
}

/**
 * Verifies and dispatches one action. Returns the actuator's feedback, or null when there is none.
 * An exception in the actuator is thrown on.
 */
export async function act(
  runtime: Runtime,
  signal: Signal,
  action: Action,
  approval: Approval | null = null,
  abort: AbortSignal = new AbortController().signal,
): Promise<Signal | null> {
  if (signal.payload.sensor === 'heartbeat') {
    runtime.log('warn', 'an action from a heartbeat was dropped')
    return null
  }
  const { text } = action.payload
  if (action.payload.action === 'message' && text !== undefined) {
    const answer = { kind: 'answer', text, calls: [], provider: null } as const
    runtime.sessions.add(runtime.sessions.of(signal.meta.sessionId), runtime.entry ?? '', answer)
  }
  const clearance = await clear(runtime, signal, action, approval, abort)
  if (clearance.kind === 'refused') tell(runtime, signal, clearance.told)
  if (clearance.kind !== 'ready') return null
  const ran = await clearance.run()
  recordOutcome(runtime, ran)
  return ran.feedback
}

const movedText =
  'Since you were asked, what this would change has changed; nothing was done. This is it now.'

function announce(runtime: Runtime, action: Action): Promise<void> {
  const fields = { target: action.target, digest: actionDigest(action) }
  runtime.trace.record({ kind: 'intent', fields, text: JSON.stringify(action) })
  return runtime.trace.flush()
}

function mayByRule(runtime: Runtime, signal: Signal, result: VerifyResult): boolean {
  if (result.kind === 'pass') return true
  const rule = standingYes(runtime, gateContext(runtime, signal), result)
  if (rule === null) return false
  const fields = { state: 'standing', rule, digest: actionDigest(result.action) }
  runtime.trace.record({ kind: 'approval', fields })
  return true
}

/** Says something to the sender of a signal in the daemon's own name, past the gates. */
export function tell(
  runtime: Runtime,
  signal: Signal,
  text: string,
  more: SignalPayload = {},
): void {
  const payload = { ...messageAction(text).payload, ...more }
  runtime.reply({ type: 'response', meta: signal.meta, payload, depth: signal.depth })
}

async function dispatch(
  runtime: Runtime,
  signal: Signal,
  action: Action,
  approval: Approval | null,
  abort: AbortSignal,
): Promise<Ran> {
  const target = action.target ?? 'cli'
  const actuator = runtime.actuators.get(target)
  if (actuator === undefined) {
    const text = `There is no actuator ${target}.`
    tell(runtime, signal, text)
    conclude(runtime, approval, 'FAILED')
    return { feedback: null, target, ms: 0, changed: [] }
  }
  const begun = performance.now()
  const run = () => actuator.dispatch(structuredClone(action), signal, runtime, abort)
  const changed = new Set<string>()
  const carried = () => (actuator.silent ? run() : written(runtime, signal, action, run, changed))
  const isLook = approval === null && isReading(runtime, action)
  const feedback = await (isLook
    ? looked(runtime, signal, action, run)
    : carryOut(runtime, approval, carried))
  const ms = performance.now() - begun
  if (actuator.silent || feedback === null)
    return { feedback: null, target, ms, changed: [...changed] }
  const origin = worstOf(signal.meta.origin, feedback.meta.origin)
  const meta = { ...signal.meta, origin }
  const told = { ...feedback, meta, depth: signal.depth + 1 }
  return { feedback: told, target, ms, changed: [...changed] }
}

/** Whether an action is the call of a tool that changes nothing. */
export function isReading({ tools }: Runtime, { payload, target = 'tool' }: Action): boolean {
  return target === 'tool' && tools.get(payload.tool ?? '')?.readOnly === true
}

async function looked(
  runtime: Runtime,
  signal: Signal,
  action: Action,
  run: () => Promise<Signal | null>,
): Promise<Signal | null> {
  const deed = beginDeed(runtime, signal, action)
  try {
    const result = await run()
    deed.ended(result, new Map())
    return result
  } catch (error) {
    deed.broke()
    throw error
  }
}

async function written(
  runtime: Runtime,
  signal: Signal,
  action: Action,
  run: () => Promise<Signal | null>,
  changed: Set<string>,
): Promise<Signal | null> {
  const { clock, entry, memex, store } = runtime
  const moment = { entry, at: clock.now().getTime() }
  const before = store.snapshot()
  runtime.moments.keep({ ...moment, snapshot: before })
  if (runtime.database !== null) runtime.database.moment = moment
  const outside = isFromOutside(signal.meta)
  runtime.author = { by: action.target === 'shell' ? 'tool' : 'agent', signal: entry, outside }
  const touched = new Map<string, string>()
  const deed = beginDeed(runtime, signal, action)
  runtime.memex = notingMemex(memex, touched)
  try {
    const result = await run()
    lookAgain(runtime, action, touched.keys())
    for (const path of before.files.changes(store.snapshot().files)) changed.add(path)
    deed.ended(result, touched)
    return result
  } catch (error) {
    deed.broke()
    throw error
  } finally {
    runtime.memex = memex
    runtime.author = byOwner
  }
}

function lookAgain(runtime: Runtime, { payload, target }: Action, touched: Iterable<string>): void {
  const tool = target === 'tool' ? runtime.tools.get(payload.tool ?? '') : undefined
  if (tool?.readOnly !== true && tool?.reach !== 'notes') {
    ingestMemex(runtime)
    return
  }
  for (const path of touched) ingestChanged(runtime, path)
  remember(runtime)
}

/** The same memex, which notes the paths that are written, and their text before that. */
function notingMemex(memex: Memex, touched: Map<string, string>): Memex {
  const note = (path: string, before: string) => {
    if (!touched.has(path)) touched.set(path, before)
  }
  return {
    ...memex,
    patch(path, baseText, patches) {
      memex.patch(path, baseText, patches)
      note(path, baseText)
    },
    create(path, text, folders) {
      memex.create(path, text, folders)
      note(path, '')
    },
  }
}

function worstOf(cause: Provenance | undefined, own: Provenance | undefined): Provenance {
  for (const outside of ['web', 'message'] as const) {
    if (cause === outside || own === outside) return outside
  }
  return 'tool'
}

/** Writes into the trace what came of an action. */
export function recordOutcome(runtime: Runtime, ran: Ran): void {
  runtime.trace.record(outcomeRecord(ran))
}

function outcomeRecord({ feedback, ms, target }: Ran): TraceRecord {
  const { status = 'success', text = '', tool } = feedback?.payload ?? {}
  const fields = {
    status: String(status),
    target,
    tool: typeof tool === 'string' ? tool : undefined,
    ms: ms.toFixed(1),
    size: text.length,
    digest: text === '' ? undefined : textDigest(text),
  }
  return { kind: 'outcome', fields, text: status === 'error' ? text.slice(0, 1_000) : undefined }
}

/** What became of an action that was put before the gates: it was done, it waits for the owner, or neither. */
type Proposed = 'done' | 'asked' | 'refused'

/** Puts an action before the gates and, when one of them asks, before the owner. */
export async function propose(runtime: Runtime, signal: Signal, action: Action): Promise<Proposed> {
  const { approvals, author } = runtime
  const known = new Set(approvals.open().map(({ id }) => id))
  const { call: _, ...meta } = signal.meta
  const feedback = await act(runtime, { ...signal, meta }, action)
  runtime.author = author
  if (feedback !== null) return feedback.payload.status === 'error' ? 'refused' : 'done'
  return approvals.open().some(({ id }) => !known.has(id)) ? 'asked' : 'refused'
}
