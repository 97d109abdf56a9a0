import { type Approval, actionDigest } from '../approval/approvals.ts'
import { objections, settle, type VerifyResult } from '../approval/verify.ts'
import type { ModelCall } from '../contract/message.ts'
import type { Signal } from '../contract/signal.ts'
import { actionOfCall, type ProposedCall } from '../mind/proposal.ts'
import { stateWords } from '../transcript/messages.ts'
import type { ResultState } from '../transcript/transcript.ts'
import { type Clearance, clear, isReading, type Ran, recordOutcome, tell } from './act.ts'
import { gateContext, withTarget } from './gate-context.ts'
import { withoutTokens } from './perceive.ts'
import type { Runtime } from './runtime.ts'
import { verdictRecord } from './trace.ts'
import { type Deed, type Turn, takeResult } from './turn-state.ts'

/** A call that waits to be run. */
export interface PendingCall extends ProposedCall {
  id: string
}

/** The call as it stands in a transcript. */
export function pendingCall({ actuators, tools }: Runtime, call: ModelCall): PendingCall {
  const isDirect = !tools.has(call.tool) && actuators.has(call.tool)
  return { ...call, action: actionOfCall(call, isDirect) }
}

/** The signal under which a call is judged and run. */
function signalOf({ signal }: Turn, { id }: PendingCall): Signal {
  return { ...signal, meta: { ...signal.meta, call: id } }
}

/** Runs these calls. `before` is an action of the same answer that has ended already. */
export async function runCalls(
  turn: Turn,
  calls: readonly PendingCall[],
  before?: PendingCall,
): Promise<'done' | 'waiting' | 'stopped'> {
  let failed = before !== undefined && hasFailed(turn, before) ? before : null
  for (let at = 0; at < calls.length; ) {
    if (turn.abort.aborted) return 'stopped'
    const group = readingFrom(turn, calls, at)
    const isFirst = at === 0 && before === undefined
    if (group.length > 0) {
      if ((await lookAll(turn, group, isFirst)) === 'waiting') return 'waiting'
      at += group.length
      continue
    }
    const call = calls[at]!
    at++
    if (failed !== null) skip(turn, call, failed)
    else if ((await runOne(turn, call, isFirst)) === 'waiting') return 'waiting'
    else if (hasFailed(turn, call)) failed = call
  }
  return 'done'
}

function readingFrom(
  { runtime }: Turn,
  calls: readonly PendingCall[],
  from: number,
): readonly PendingCall[] {
  const end = calls.findIndex(
    ({ action }, at) => at >= from && !(action.ok && isReading(runtime, action.value)),
  )
  return calls.slice(from, end < 0 ? calls.length : end)
}

function hasFailed({ transcript }: Turn, { id }: PendingCall): boolean {
  const result = transcript.entries.findLast(
    (entry) => entry.kind === 'result' && entry.call === id,
  )
  return result?.kind === 'result' && result.state !== 'done'
}

function skip(turn: Turn, { id, tool }: PendingCall, failed: PendingCall): void {
  const state = turn.transcript.entries.findLast(
    (entry) => entry.kind === 'result' && entry.call === failed.id,
  )
  const why = state?.kind === 'result' ? stateWords[state.state] : 'it failed'
  const text = `This was not begun, because of ${failed.tool} before it: ${why}.`
  takeResult(turn, { call: id, tool, state: 'skipped', text, origin: 'tool' })
}

type Waiting = 'waiting' | 'ended'

async function runOne(turn: Turn, call: PendingCall, isFirst: boolean): Promise<Waiting> {
  openEntry(turn, isFirst)
  const clearance = await clearanceFor(turn, call)
  if (clearance === 'ended') return 'ended'
  return take(turn, call, clearance)
}

/** Each call but the first of a step has an entry of its own in the trace. */
function openEntry({ id, runtime, signal }: Turn, isFirst: boolean): void {
  if (isFirst) return
  runtime.trace.end()
  runtime.trace.begin(signal, runtime.entry ?? id)
}

const refusedMax = 3

/** What the gates say to a call; `ended` when it has its result by that. */
async function clearanceFor(
  turn: Turn,
  call: PendingCall,
): Promise<Exclude<Clearance, { kind: 'refused' }> | 'ended'> {
  const { abort, refused, runtime } = turn
  const { action, id, tool } = call
  const end = (state: ResultState, text: string) => {
    takeResult(turn, { call: id, tool, state, text, origin: 'tool' })
    return 'ended' as const
  }
  if (!action.ok) return end('failed', `The call could not be read: ${action.reason}`)
  const signal = signalOf(turn, call)
  const digest = actionDigest(action.value)
  const { count, reasons: known } = refused.get(digest) ?? { count: 0, reasons: '' }
  if (count >= refusedMax)
    return end('refused', `This was refused three times, and is not tried again.\n${known}`)
  const refuse = (reasons: string) => {
    refused.set(digest, { count: count + 1, reasons })
    turn.refusals++
    const last =
      count + 1 < refusedMax
        ? ''
        : '\nDo not try it again; find another way, or say why it cannot be done.'
    return end('refused', `Refused.\n${reasons}${last}`)
  }
  const proposed = withTarget(runtime, signal, action.value)
  const begun = performance.now()
  const verdict = await settle(runtime.gates, proposed, gateContext(runtime, signal))
  runtime.trace.record(verdictRecord('reason', proposed, verdict, performance.now() - begun))
  if (verdict.kind === 'reject') return refuse(objectionsOf(verdict))
  const clearance = await clear(runtime, signal, verdict.action, null, abort)
  return clearance.kind === 'refused' ? refuse(clearance.reasons) : clearance
}

function objectionsOf({ records }: VerifyResult): string {
  const isRejection = ({ verdict }: VerifyResult['records'][number]) => verdict.kind === 'reject'
  const asks = objections(records.filter((record) => !isRejection(record)))
  const rest = asks === '' ? '' : `\nMended, it would still be put to the owner:\n${asks}`
  return `${objections(records.filter(isRejection))}${rest}`
}

async function take(
  turn: Turn,
  call: PendingCall,
  clearance: Exclude<Clearance, { kind: 'refused' }>,
): Promise<Waiting> {
  if (clearance.kind === 'asked') {
    turn.deeds.push(deedOf(call, 'waiting', []))
    return 'waiting'
  }
  const ran = await clearance.run()
  recordOutcome(turn.runtime, ran)
  const state = ran.feedback?.payload.status === 'error' ? 'failed' : 'done'
  if (turn.runtime.tools.get(call.tool)?.endsTurn !== true)
    turn.deeds.push(deedOf(call, state, ran.changed))
  takeRan(turn, call, ran)
  return 'ended'
}

function deedOf(
  { action, tool }: PendingCall,
  state: Deed['state'],
  changed: readonly string[],
): Deed {
  const { args, cmd } = action.ok ? action.value.payload : {}
  const command = cmd ?? (tool === 'shell' && typeof args?.cmd === 'string' ? args.cmd : null)
  const named = Object.values(args ?? {}).find((value) => typeof value === 'string')
  const what = command ?? (named === undefined ? tool : `${tool} ${named}`)
  return { what, isCommand: command !== null, state, changed }
}

function takeRan(turn: Turn, { id, tool }: PendingCall, { feedback }: Ran): void {
  if (feedback === null) {
    takeResult(turn, { call: id, tool, state: 'done', text: 'Done.', origin: 'tool' })
    return
  }
  const { meta, payload } = withoutTokens(turn.runtime, feedback)
  const state = payload.status === 'error' ? 'failed' : 'done'
  const origin = meta.origin ?? 'tool'
  takeResult(turn, { call: id, tool, state, text: payload.text ?? '', origin })
}

async function lookAll(
  turn: Turn,
  calls: readonly PendingCall[],
  isFirst: boolean,
): Promise<Waiting> {
  const { trace } = turn.runtime
  const ready: { call: PendingCall; run: () => Promise<Ran>; resume: () => void }[] = []
  let state: Waiting = 'ended'
  for (const [at, call] of calls.entries()) {
    openEntry(turn, isFirst && at === 0)
    const clearance = await clearanceFor(turn, call)
    if (clearance === 'ended') continue
    if (clearance.kind === 'asked') {
      turn.deeds.push(deedOf(call, 'waiting', []))
      state = 'waiting'
      break
    }
    ready.push({ call, run: clearance.run, resume: trace.suspend() })
  }
  const all = await Promise.all(ready.map(async (one) => ({ ...one, ran: await one.run() })))
  const last = trace.suspend()
  for (const { call, ran, resume } of all) {
    resume()
    recordOutcome(turn.runtime, ran)
    takeRan(turn, call, ran)
    if (call !== calls.at(-1)) trace.end()
  }
  if (all.at(-1)?.call !== calls.at(-1)) last()
  return state
}

/** Runs a call that the owner has said yes to, once the gates agree. */
export async function runApproved(
  turn: Turn,
  call: PendingCall,
  approval: Approval,
): Promise<Waiting> {
  const { abort, runtime } = turn
  const signal: Signal = turn.first
  const clearance = await clear(runtime, signal, approval.action, approval, abort)
  if (clearance.kind !== 'refused') return take(turn, call, clearance)
  tell(runtime, signal, clearance.told)
  const { id, tool } = call
  takeResult(turn, { call: id, tool, state: 'refused', text: clearance.reasons, origin: 'tool' })
  return 'ended'
}
