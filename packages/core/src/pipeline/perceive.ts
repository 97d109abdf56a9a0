import { chosenOffer } from '../approval/always-allow.ts'
import { type Approval, type Offer, withoutOpenTokens } from '../approval/approvals.ts'
import { speakerRight } from '../approval/decision-right.ts'
import { messageOf } from '../base/printing.ts'
import {
  type Action,
  fieldText,
  isFromOutside,
  messageAction,
  type Signal,
} from '../contract/signal.ts'
import type { Runtime } from './runtime.ts'

const ownSensors = /^(?:tool-output|loop-error|heartbeat|cron|event|job-.*)$/

/** The signal as it may enter the pipeline from a client, or null for a sensor of the daemon's own. */
export function admit(signal: Signal): Signal | null {
  if (ownSensors.test(signal.payload.sensor ?? '')) return null
  const isOwner = signal.payload.sensor === 'user-input' && signal.meta.isUnproven !== true
  const origin = isOwner ? 'owner' : 'message'
  return { ...signal, type: 'event', depth: 0, meta: { ...signal.meta, origin } }
}

/** What should happen next with a signal. */
export type Percept =
  | { kind: 'reason' }
  | { kind: 'act'; action: Action }
  | { kind: 'approved'; approval: Approval; always?: Offer }
  | { kind: 'denied'; approval: Approval }
  | { kind: 'done' }

/** Takes note of a signal and says what it needs. Throws only when a skill's handler does. */
export async function perceive(runtime: Runtime, signal: Signal): Promise<Percept> {
  const { sensor = '', text = '' } = signal.payload
  const handler = runtime.sensors.get(sensor)
  if (isFromOutside(signal.meta)) runtime.store.heard(text)
  if (sensor === 'user-input' || sensor === 'chat-message')
    return hear(runtime, signal, text.trim())
  if (sensor === 'buffer-update') return readAgain(runtime, signal)
  if (sensor === 'point-update') return moveFocus(runtime, signal)
  if (handler === undefined) return { kind: 'done' }
  const wish = await handler(signal, runtime)
  if (wish === 'reason') return { kind: 'reason' }
  return wish === null ? { kind: 'done' } : { kind: 'act', action: wish }
}

function hear(runtime: Runtime, signal: Signal, text: string): Percept {
  if (text === '') return { kind: 'done' }
  const { sessionId } = signal.meta
  const command = commandPattern.exec(text)
  if (command === null || signal.depth > 0) {
    if (signal.depth === 0) runtime.refusals.forget(sessionId)
    return { kind: 'reason' }
  }
  if (speakerRight(runtime, signal) === 'none') {
    return {
      kind: 'act',
      action: messageAction('Questions are answered in a client of the owner’s.'),
    }
  }
  const always = offerNamed(runtime, command, signal)
  const approval = always === 'none' ? null : runtime.approvals.take(command[2]!)
  if (approval === null || always === 'none') {
    const answer =
      'No question is open under that word; it may have expired, or have been offered otherwise. Ask for the action again.'
    return { kind: 'act', action: messageAction(answer) }
  }
  if (command[1]!.toLowerCase() === 'deny') return { kind: 'denied', approval }
  return always === null ? { kind: 'approved', approval } : { kind: 'approved', approval, always }
}

/** Whether these words answer a question of the daemon's. */
export function isDecision(text: string): boolean {
  return commandPattern.test(text.trim())
}

const commandPattern = /^(approve|deny)\s+([a-z]{6})(\s+always(?:\s+([a-z][a-z0-9_-]*))?)?$/i

/** What should be allowed for good: an offer, null for nothing, `none` for what was not offered. */
function offerNamed(
  runtime: Runtime,
  [, verb, token, always, word]: RegExpExecArray,
  signal: Signal,
): Offer | 'none' | null {
  if (always === undefined) return null
  if (speakerRight(runtime, signal) !== 'always') return 'none'
  const approval = runtime.approvals.open().find((open) => open.token === token?.toLowerCase())
  if (approval === undefined || verb?.toLowerCase() === 'deny') return 'none'
  return chosenOffer(approval, word) ?? 'none'
}

/** The signal with the tokens of open questions made unreadable, unless it is the owner's command. */
export function withoutTokens({ approvals }: Runtime, signal: Signal): Signal {
  const { text } = signal.payload
  if (typeof text !== 'string') return signal
  const isSaid = ['user-input', 'chat-message'].includes(signal.payload.sensor ?? '')
  if (isSaid && signal.depth === 0 && commandPattern.test(text.trim())) return signal
  return { ...signal, payload: { ...signal.payload, text: withoutOpenTokens(approvals, text) } }
}

function readAgain(runtime: Runtime, signal: Signal): Percept {
  const file = fieldText(signal.payload.file)
  try {
    if (!runtime.memex.files().includes(file)) throw new Error('it is not in the memex')
    runtime.store.ingestFile(file, runtime.memex.read(file))
  } catch (error) {
    const why = messageOf(error)
    runtime.log('warn', `${file} was not read: ${why}`)
  }
  return { kind: 'done' }
}

function moveFocus(runtime: Runtime, signal: Signal): Percept {
  const { file, line } = signal.payload
  const at = [...runtime.store.objects()].findLast(
    (object) => object.file === file && object.line <= Number(line),
  )
  if (at === undefined) return { kind: 'done' }
  const session = signal.meta.sessionId ?? ''
  runtime.sessions.moveFocus(session, at.id)
  runtime.scopes.looksAt(session, at.scope)
  return { kind: 'done' }
}
