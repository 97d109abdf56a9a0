import { offerLines, offersFor } from '../approval/always-allow.ts'
import { type Approval, actionDigest } from '../approval/approvals.ts'
import type { DecisionRight } from '../approval/decision-right.ts'
import { readerRight } from '../approval/decision-right.ts'
import { rehearse } from '../approval/dry-run.ts'
import { visible } from '../approval/flight-plan.ts'
import { askersOf, inOneLine, objections, type VerifyResult } from '../approval/verify.ts'
import type { Action, Signal } from '../contract/signal.ts'
import { maskedAbroad } from '../mind/prompt-mask.ts'
import { ownerWords } from '../transcript/transcript.ts'
import { gateContext } from './gate-context.ts'
import type { Runtime } from './runtime.ts'
import { textDigest } from './trace.ts'

const guestMax = { session: 20, all: 60 }

/** Whether whoever is behind this signal has as many questions open as a guest may. */
function hasNoQuestionLeft(runtime: Runtime, signal: Signal): boolean {
  const isGuest = (one: Pick<Signal, 'meta'>) => readerRight(runtime, one) !== 'always'
  if (!isGuest(signal)) return false
  const open = runtime.approvals.open().filter((one) => isGuest(one.signal))
  const own = open.filter((one) => one.signal.meta.sessionId === signal.meta.sessionId)
  return own.length >= guestMax.session || open.length >= guestMax.all
}

/** What is to be told, and whether it is a question that is open now. */
interface Suspended {
  isAsked: boolean
  text: string
}

/** Records the question, shows it in the file of plans, and returns it in words for the owner's client. */
export async function suspend(
  runtime: Runtime,
  signal: Signal,
  result: VerifyResult,
  canLast = true,
): Promise<Suspended> {
  const { action, records } = result
  const reasons = objections(records)
  const right = readerRight(runtime, signal)
  const readable = (text: string) => (right === 'always' ? text : maskedAbroad(runtime, text))
  const unasked = (why: string) => ({ isAsked: false, text: `${why}\n${readable(inFull(action))}` })
  if (runtime.refusals.has(action, signal)) {
    return unasked(
      'You said no to this a moment ago, so it was not done and you are not asked again.',
    )
  }
  if (hasNoQuestionLeft(runtime, signal)) {
    return unasked(
      'Too many of your questions wait for an answer already, so this was not done and nobody was asked.',
    )
  }
  const whole = await previewOf(runtime, signal, action)
  const preview = whole && shortened(whole)
  const offers = canLast ? offersFor(runtime, gateContext(runtime, signal), result) : []
  const heard = ownerWordsIn(runtime, signal)
  const shown = whole !== null && isPlanned(runtime, action) ? changeDigest(whole) : null
  const more = { askers: askersOf(records), preview, shown, offers, heard }
  const approval = runtime.approvals.ask(action, signal, reasons, more)
  runtime.flightPlans.write(approval)
  const change = preview === null ? '' : `\n${previewInWords(preview)}`
  const whose = right === 'none' ? 'the owner’s' : 'your'
  const text = `This needs ${whose} approval: ${inFull(action)}\n${reasons}${change}`
  return { isAsked: true, text: `${readable(text)}\n${howToAnswer(approval, right)}` }
}

function previewInWords(preview: string): string {
  return preview.trim() === '' ? 'No file would change.' : `What would change:\n${visible(preview)}`
}

function howToAnswer(approval: Approval, right: DecisionRight): string {
  const say = `Say “approve ${approval.token}” or “deny ${approval.token}” within a day`
  switch (right) {
    case 'always':
      return `${say}, or change its state in flight-plans.org.${visible(offerLines(approval))}`
    case 'once':
      return `${say}.`
    case 'none':
      return 'Only the owner can answer that, and will find the question at home.'
  }
}

function inFull({ payload, target = 'cli' }: Action): string {
  const { args, cmd, explanation, text, tool } = payload
  const parts = [tool, args && JSON.stringify(args), cmd, text].filter((part) => part !== undefined)
  const what = `${target}: ${parts.map(inOneLine).join(', ')}`
  return visible(explanation ? `${what}\nWhy: ${inOneLine(explanation)}` : what)
}

const previewMax = 20_000
const previewMaxMs = 5_000

async function previewOf(runtime: Runtime, signal: Signal, action: Action): Promise<string | null> {
  const { tool: name = '', args = {} } = action.payload
  const tool = runtime.tools.get(name)
  if (action.target !== 'tool' || tool === undefined) return null
  try {
    const context = { runtime, signal, abort: AbortSignal.timeout(previewMaxMs) }
    const parsed = tool.parameters.parse(args)
    const looking = tool.preview?.(parsed, context) ?? rehearse(tool, parsed, context)
    return await Promise.race([looking, ended(context.abort)])
  } catch {
    return null
  }
}

function shortened(preview: string): string {
  if (preview.length <= previewMax) return preview
  const more = preview.length - previewMax
  return `${preview.slice(0, previewMax).toWellFormed()}\n… and ${more} characters more`
}

function ended(abort: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    abort.addEventListener('abort', () => resolve(null), { once: true })
  })
}

/** Whether the owner's yes is for this action and for all that the gates ask now. */
export function covers(approval: Approval | null, { action, records }: VerifyResult): boolean {
  if (approval === null || approval.digest !== actionDigest(action)) return false
  return askersOf(records).every(({ gate, rule }) =>
    approval.askers.some((asker) => asker.gate === gate && asker.rule === rule),
  )
}

/** Whether the action would change now what the owner was shown. */
export async function isAsShown(
  runtime: Runtime,
  { action, shown, signal }: Approval,
): Promise<boolean> {
  if (shown === null) return true
  const preview = await previewOf(runtime, signal, action)
  return preview === null || changeDigest(preview) === shown
}

function isPlanned({ tools }: Runtime, { payload }: Action): boolean {
  return tools.get(payload.tool ?? '')?.preview !== undefined
}

function changeDigest(diff: string): string {
  return textDigest(diff.replace(/^@@ .*$/gm, '@@'))
}

/** Runs an actuator, and writes what came of it into the plan when there is one. */
export async function carryOut(
  runtime: Runtime,
  approval: Approval | null,
  run: () => Promise<Signal | null>,
): Promise<Signal | null> {
  try {
    const feedback = await runtime.flightPlans.during(run)
    conclude(runtime, approval, feedback?.payload.status === 'error' ? 'FAILED' : 'DONE')
    return feedback
  } catch (error) {
    conclude(runtime, approval, 'FAILED')
    throw error
  }
}

/** Writes into the plan, if there is one, what became of it. */
export function conclude(
  runtime: Runtime,
  approval: Approval | null,
  state: 'DONE' | 'DENIED' | 'REFUSED' | 'FAILED',
): void {
  if (approval !== null) runtime.flightPlans.conclude(approval.id, state)
}

/** The signal to go on with; what is answered to it goes to whoever is there. */
export function resumed(runtime: Runtime, approval: Approval, by: Signal | null): Signal {
  const { sessionId } = approval.signal.meta
  runtime.outbox.follow(sessionId, by?.meta.sessionId)
  const transcript = runtime.sessions.of(sessionId)
  if (transcript.entries.length === 0) {
    for (const text of approval.heard) {
      runtime.sessions.add(transcript, '', { kind: 'words', origin: 'owner', text })
    }
  }
  return approval.signal
}

function ownerWordsIn({ sessions }: Runtime, { meta }: Signal): string[] {
  return ownerWords(sessions.of(meta.sessionId).entries)
}

/** What a model is told when the owner said no. */
export function denialTrace({ action }: Approval): string {
  return `owner: no to ${inOneLine(inFull(action))}. Do not propose it again; find another way, or say that it was not done.`
}
