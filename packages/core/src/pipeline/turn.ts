import type { Approval } from '../approval/approvals.ts'
import { objections, settle } from '../approval/verify.ts'
import { type Action, messageAction, type Signal } from '../contract/signal.ts'
import { consensusFor } from '../mind/consensus.ts'
import { loopIn } from '../transcript/loop-detector.ts'
import { openCalls, openCallsOf, type TurnOutcome } from '../transcript/transcript.ts'
import { clear, recordOutcome, tell } from './act.ts'
import { type AnswerStream, openStream } from './answer-stream.ts'
import { type PendingCall, pendingCall, runApproved, runCalls } from './calls.ts'
import { gateContext, withTarget } from './gate-context.ts'
import { materialFor } from './material.ts'
import { giveReceipt } from './receipt.ts'
import type { Runtime } from './runtime.ts'
import { conclude, denialTrace } from './suspend.ts'
import { type Thought, think } from './think.ts'
import { verdictRecord } from './trace.ts'
import { openTurn, say, type Turn, type TurnContext, takeResult } from './turn-state.ts'
import { keepWithinWindow } from './turn-window.ts'

/**
 * Answers a signal: asks, runs what is asked for, and asks again until there is an answer.
 * Returns what the actuator of the answer feeds back, mostly null.
 */
export async function runTurn(
  runtime: Runtime,
  signal: Signal,
  context: TurnContext,
): Promise<Signal | null> {
  const turn = openTurn(runtime, signal, context)
  closeOpenCalls(turn)
  const material = await materialFor(runtime, signal)
  if (material !== '') say(turn, { kind: 'material', text: material })
  addWords(turn, signal)
  return goOn(turn)
}

function addWords(turn: Turn, { meta, payload }: Signal): void {
  const text = payload.text?.trim() || `(${payload.sensor ?? 'something has happened'})`
  say(turn, { kind: 'words', origin: meta.origin ?? 'tool', text })
}

function closeOpenCalls(turn: Turn): void {
  const { approvals } = turn.runtime
  const waiting = new Set(approvals.open().map(({ signal }) => signal.meta.call))
  const open = openCalls(turn.transcript.entries)
  const isWaiting = open.some(({ id }) => waiting.has(id))
  for (const { id, tool } of open) {
    const state = waiting.has(id) ? 'waiting' : isWaiting ? 'skipped' : 'unknown'
    say(turn, { kind: 'result', call: id, tool, state, text: openTexts[state], origin: 'tool' })
  }
}

const openTexts = {
  waiting: 'This waits for the owner’s yes or no. What becomes of it will be told.',
  skipped: 'This was not begun, because a call before it waits for the owner.',
  unknown:
    'The daemon was stopped while this ran, and nothing is known of what became of it; look before you do it again.',
}

async function goOn(turn: Turn): Promise<Signal | null> {
  let outcome: TurnOutcome | null = null
  while (outcome === null) outcome = await step(turn)
  return end(turn, outcome)
}

function end(turn: Turn, outcome: TurnOutcome): Signal | null {
  giveReceipt(turn)
  say(turn, { kind: 'end', outcome })
  return turn.feedback
}

async function step(turn: Turn): Promise<TurnOutcome | null> {
  const { abort, runtime, signal } = turn
  if (abort.aborted) return stop(turn, null)
  for (const heard of turn.hear()) addWords(turn, heard)
  if (turn.step > 0) {
    runtime.trace.end()
    runtime.entry = runtime.trace.begin(signal, runtime.entry ?? undefined)
  }
  watch(turn)
  await fit(turn)
  const stream = turn.refusals === 0 ? openStream(runtime, signal) : null
  const thought = await thinkAbout(turn, stream)
  turn.budget.spend(thought.usage)
  for (const text of thought.provider === null ? [] : thought.failures) notice(turn, text)
  if (abort.aborted) return stop(turn, stream)
  if (thought.brokenOff !== null) return brokeOff(turn, stream, thought.brokenOff)
  if (turn.over !== null && (thought.provider === null || thought.exhausted)) {
    return lastWords(turn, { ...thought, proposal: noWords }, stream)
  }
  if (thought.provider === null) return nobodyAnswered(turn, stream, thought.failures)
  turn.step++
  const { calls, faults } = thought.proposal
  if (turn.over !== null) return lastWords(turn, thought, stream)
  if (calls.length === 0 && faults.length === 0) return answer(turn, thought, stream)
  return callAll(turn, thought, stream)
}

/** Asks; and once more behind a summary, when a vendor says that it was too much. */
async function thinkAbout(turn: Turn, stream: AnswerStream | null): Promise<Thought> {
  const { abort, first, over, refusals, runtime, signal, transcript } = turn
  const options = {
    listener: stream?.listener,
    isHarder: refusals === refusalsMax - 1,
    mayCall: over === null,
    consensus: consensusFor(first, runtime.mind.consensus),
  }
  const ask = () => think(runtime, signal, transcript.entries, abort, options)
  const thought = await ask()
  if (thought.overflow === null || !(await fit(turn, true))) return thought
  return ask()
}

/** Makes the conversation fit, and tells the owner when that took a summary; true when it did. */
async function fit(turn: Turn, hasOverflowed = false): Promise<boolean> {
  const summed = await keepWithinWindow(turn, hasOverflowed)
  if (summed !== null) notice(turn, summed)
  return summed !== null
}

/** Something for the client that is no part of the answer. */
function notice({ first, runtime }: Turn, text: string): void {
  const payload = { action: 'notice', text }
  runtime.reply({ type: 'status', meta: first.meta, payload, depth: first.depth })
}

const stoppedLate = 'Stopped. What had been done by then stays done.'

function stop(turn: Turn, stream: AnswerStream | null): TurnOutcome {
  const { runtime, signal } = turn
  leave(turn, stream, 'interrupted')
  runtime.trace.record({ kind: 'interrupt' })
  tell(runtime, signal, turn.step === 0 ? 'Stopped.' : stoppedLate)
  return 'stopped'
}

/** Ends what is shown of an answer, which stays in the transcript with a mark. */
function leave(
  turn: Turn,
  stream: AnswerStream | null,
  ending: 'interrupted' | 'broken off',
): void {
  stream?.end(ending)
  const text = stream?.seen() ?? ''
  if (text !== '') say(turn, { kind: 'answer', text, calls: [], provider: null, ending })
}

function brokeOff(turn: Turn, stream: AnswerStream | null, failure: string): TurnOutcome {
  leave(turn, stream, 'broken off')
  return report(turn, `The answer broke off: ${failure}`)
}

function nobodyAnswered(
  turn: Turn,
  stream: AnswerStream | null,
  failures: readonly string[],
): TurnOutcome {
  stream?.end('withdrawn')
  const why = failures.length === 0 ? 'No provider is configured.' : failures.join('\n')
  return report(turn, `Nobody could answer.\n${why}`)
}

/** The daemon's own words in the place of an answer. */
function report(turn: Turn, text: string): TurnOutcome {
  say(turn, { kind: 'answer', text, calls: [], provider: null })
  tell(turn.runtime, turn.signal, text)
  return 'failed'
}

function watch(turn: Turn): void {
  const { budget, runtime, transcript } = turn
  const acts = (tool: string) => runtime.tools.get(tool)?.readOnly !== true
  const loop = loopIn(transcript.entries, acts)
  const circle =
    loop === null ? null : `${loop} Call nothing more; say what you have found, and what stops you.`
  const over = budget.spent() ?? circle
  if (over !== null && turn.over === null) {
    turn.over = over
    notice(turn, over)
    runtime.trace.record({ kind: 'stopped', text: over })
  }
  const said = over ?? budget.warning()
  if (said !== null) say(turn, { kind: 'notice', text: said })
}

const noWords: Thought['proposal'] = { text: '', calls: [], faults: [], form: 'text' }

async function lastWords(
  turn: Turn,
  thought: Thought,
  stream: AnswerStream | null,
): Promise<TurnOutcome> {
  const { proposal } = thought
  if (proposal.text !== '') {
    const only = { ...thought, proposal: { ...proposal, calls: [], faults: [] } }
    const outcome = await answer(turn, only, stream)
    if (outcome !== null) return outcome === 'answered' ? 'spent' : outcome
  } else stream?.end('withdrawn')
  report(turn, `I stopped. ${turn.over}`)
  return 'spent'
}

const refusalsMax = 3
const byRules = 'No model could answer, so the planner did, which works by rules.'

async function answer(
  turn: Turn,
  thought: Thought,
  stream: AnswerStream | null,
): Promise<TurnOutcome | null> {
  const { abort, runtime, signal } = turn
  const { provider, proposal } = thought
  const said = thought.exhausted && thought.rules ? `${byRules}\n\n${proposal.text}` : proposal.text
  const { action, kind, reasons } = await judge(turn, messageAction(said))
  const text = action.payload.text ?? ''
  if (kind === 'pass') stream?.complete(text)
  else stream?.end('withdrawn')
  const entry = { kind: 'answer', text, calls: [], provider } as const
  say(turn, kind === 'pass' ? entry : { ...entry, ending: 'withdrawn' })
  if (kind === 'reject') return refuse(turn, `Your answer was not shown to the owner.\n${reasons}`)
  const clearance = await clear(runtime, signal, action, null, abort)
  if (clearance.kind === 'asked') return 'waiting'
  if (clearance.kind === 'refused') return refuse(turn, clearance.reasons)
  const ran = await clearance.run()
  recordOutcome(runtime, ran)
  turn.feedback = ran.feedback
  return 'answered'
}

async function judge(turn: Turn, proposed: Action) {
  const { runtime, signal } = turn
  const action = withTarget(runtime, signal, proposed)
  const begun = performance.now()
  const verdict = await settle(runtime.gates, action, gateContext(runtime, signal))
  runtime.trace.record(verdictRecord('reason', action, verdict, performance.now() - begun))
  return { ...verdict, reasons: objections(verdict.records) }
}

/** Tells the model what is wrong with its answer; the owner, when that has been done often enough. */
function refuse(turn: Turn, reasons: string): TurnOutcome | null {
  turn.refusals++
  turn.runtime.log('info', `proposal ${turn.refusals} rejected: ${reasons}`)
  if (turn.refusals >= refusalsMax) {
    return report(turn, `I found no way to do this that is allowed.\n${reasons}`)
  }
  say(turn, { kind: 'notice', text: reasons })
  return null
}

async function callAll(
  turn: Turn,
  { provider, proposal }: Thought,
  stream: AnswerStream | null,
): Promise<TurnOutcome | null> {
  const { text } = proposal
  const isSaid = text === '' || (await judge(turn, messageAction(text))).kind === 'pass'
  if (isSaid) await stream?.beforeAction()
  else stream?.end('withdrawn')
  const calls: PendingCall[] = []
  for (const call of proposal.calls) {
    const taken = new Set(calls.map(({ id }) => id))
    calls.push({ ...call, id: turn.transcript.callId(call.id, taken) })
  }
  const written = calls.map(({ args, id, tool }) => ({ id, tool, args }))
  const entry = { kind: 'answer', text, calls: written, provider } as const
  say(turn, isSaid ? entry : { ...entry, ending: 'withdrawn' })
  const outcome = await runCalls(turn, calls)
  if (outcome !== 'done') return outcome
  if (calls.some((call) => hasEnded(turn, call))) return 'answered'
  if (proposal.faults.length === 0) return null
  return refuse(turn, `Something in your answer could not be read: ${proposal.faults.join('; ')}`)
}

/** Whether a call has put a question to the owner, whose next words are the answer. */
function hasEnded({ runtime, transcript }: Turn, { id, tool }: PendingCall): boolean {
  if (runtime.tools.get(tool)?.endsTurn !== true) return false
  return transcript.entries.some(
    (entry) => entry.kind === 'result' && entry.call === id && entry.state === 'done',
  )
}

/** Continues a turn with what the owner has decided about one of its calls. */
export async function continueTurn(
  runtime: Runtime,
  thread: Signal,
  { approval, isApproved }: { approval: Approval; isApproved: boolean },
  context: TurnContext,
): Promise<Signal | null> {
  const opened = openTurn(runtime, thread, context)
  const { entries } = opened.transcript
  const call = callOf(opened, thread.meta.call ?? '', approval)
  const made = entries.findLast(
    (entry) => entry.kind === 'answer' && entry.calls.some(({ id }) => id === call.id),
  )
  const turn = { ...opened, id: made?.turn ?? opened.id }
  const behind = made?.kind === 'answer' ? openCallsOf(made, entries) : []
  const open = behind.filter(({ id }) => id !== call.id)
  turn.step = 1
  if (isApproved) {
    const outcome = await runApproved(turn, call, approval)
    if (outcome === 'waiting') return end(turn, outcome)
  } else {
    conclude(runtime, approval, 'DENIED')
    const text = denialTrace(approval)
    takeResult(turn, { call: call.id, tool: call.tool, state: 'denied', text, origin: 'tool' })
  }
  const outcome = await runCalls(
    turn,
    open.map((one) => pendingCall(runtime, one)),
    call,
  )
  if (outcome !== 'done') return end(turn, outcome)
  closeOpenCalls(turn)
  return goOn(turn)
}

function callOf({ transcript }: Turn, id: string, { action }: Approval): PendingCall {
  const made = transcript.entries.flatMap((entry) => (entry.kind === 'answer' ? entry.calls : []))
  const found = made.findLast((call) => call.id === id)
  const { payload, target = 'tool' } = action
  const given = { id, tool: payload.tool ?? target, args: payload.args ?? payload }
  return { ...(found ?? given), action: { ok: true, value: action } }
}
