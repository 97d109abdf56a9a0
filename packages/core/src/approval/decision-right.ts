import type { Signal } from '../contract/signal.ts'

/** What somebody may say to a question: yes for good as well, yes or no once, or nothing. */
export type DecisionRight = 'always' | 'once' | 'none'

/** What is known of those who read and those who speak. */
interface DecisionRights {
  outbox: { rightOf(sessionId: string | undefined): DecisionRight }
  /** The approvers on chat networks, each as `source:sender`. */
  config: { approvers?: readonly string[] }
}

/** What whoever reads the answers to this signal may say to a question. */
export function readerRight(
  { outbox }: Pick<DecisionRights, 'outbox'>,
  { meta }: Pick<Signal, 'meta'>,
): DecisionRight {
  return meta.isUnproven === true ? 'none' : outbox.rightOf(meta.sessionId)
}

/** What the sender of these words may say to a question, at this moment. */
export function speakerRight(rights: DecisionRights, signal: Signal): DecisionRight {
  const { meta, payload } = signal
  if (meta.isUnproven === true) return 'none'
  if (meta.origin === 'owner') return payload.sensor === 'user-input' ? 'always' : 'none'
  const { sender } = payload
  const isNamed = (typeof sender === 'string' && sender !== '') || typeof sender === 'number'
  if (meta.origin !== 'message' || !isNamed) return 'none'
  const isApprover = (rights.config.approvers ?? []).includes(`${meta.source}:${sender}`)
  return isApprover && readerRight(rights, signal) !== 'none' ? 'once' : 'none'
}
