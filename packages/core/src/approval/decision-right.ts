import type { Signal } from '../contract/signal.ts'
import type { DecisionRight } from '../pipeline/outbox.ts'
import type { Runtime } from '../pipeline/runtime.ts'

/** What whoever reads the answers to this signal may say to a question. */
export function readerRight({ outbox }: Runtime, { meta }: Pick<Signal, 'meta'>): DecisionRight {
  return meta.isUnproven === true ? 'none' : outbox.rightOf(meta.sessionId)
}

/** What the sender of these words may say to a question, at this moment. */
export function speakerRight(runtime: Runtime, signal: Signal): DecisionRight {
  const { meta, payload } = signal
  if (meta.isUnproven === true) return 'none'
  if (meta.origin === 'owner') return payload.sensor === 'user-input' ? 'always' : 'none'
  const { sender } = payload
  const isNamed = (typeof sender === 'string' && sender !== '') || typeof sender === 'number'
  if (meta.origin !== 'message' || !isNamed) return 'none'
  const isApprover = (runtime.config.approvers ?? []).includes(`${meta.source}:${sender}`)
  return isApprover && readerRight(runtime, signal) !== 'none' ? 'once' : 'none'
}
