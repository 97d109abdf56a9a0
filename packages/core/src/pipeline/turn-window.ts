import { messagesText } from '../contract/message.ts'
import { compactTranscript, needsCompaction, planCompaction } from '../transcript/compaction.ts'
import { messagesOf } from '../transcript/messages.ts'
import type { Entry } from '../transcript/transcript.ts'
import type { Runtime } from './runtime.ts'
import { askInWords, roomOf } from './think.ts'
import { say, type Turn } from './turn-state.ts'

/** Whether these entries have outgrown the window; `fixed` is what is sent besides them. */
function isTooLong(
  { tokens }: Runtime,
  entries: readonly Entry[],
  { fixed, window }: { fixed: number; window: number },
): boolean {
  const text = messagesText(messagesOf(entries))
  if (text.length * 2 + fixed < window * 0.75) return false
  return needsCompaction(fixed + tokens.count(text), window)
}

/** Sums up what is old when the conversation has outgrown the window, or a vendor has said so; true when it did. */
export async function keepInWindow(turn: Turn, isOverflow = false): Promise<boolean> {
  const { abort, runtime, signal, transcript } = turn
  const known = await roomOf(runtime, signal, transcript.entries)
  if (known === null) return false
  const { entries } = transcript
  if (!isOverflow && !isTooLong(runtime, entries, known)) return false
  const count = (text: string) => runtime.tokens.count(text)
  const sent = known.fixed + count(messagesText(messagesOf(entries)))
  const room = isOverflow ? { ...known, window: Math.min(known.window, sent) } : known
  const plan = planCompaction(entries, room, count)
  if (plan === null || plan.tokens < plan.room / 2) return false
  const { body, notice } = await compactTranscript(entries, plan, {
    count,
    acts: (tool) => runtime.tools.get(tool)?.readOnly !== true,
    askMax: room.window - room.fixed - plan.summaryMax * 2,
    summarize: async (messages) => {
      const { text, usage } = await askInWords(runtime, signal, entries, messages, abort)
      turn.budget.spend(usage)
      return text
    },
  })
  say(turn, body)
  const payload = { action: 'notice', text: notice }
  runtime.reply({ type: 'status', meta: turn.first.meta, payload, depth: turn.first.depth })
  return true
}
