import { messagesText } from '../contract/message.ts'
import { toolJson } from '../contract/tool-schema.ts'
import { tierOf } from '../mind/tier.ts'
import { compactTranscript, needsCompaction, planCompaction } from '../transcript/compaction.ts'
import type { Entry } from '../transcript/transcript.ts'
import { requestFor, roomFor, think, wishedTier } from './think.ts'
import { say, type Turn } from './turn-state.ts'

/**
 * Sums up what a model would be sent of a turn, when it is too long or has overflowed. Returns what
 * to tell the owner; null when nothing was done.
 */
export async function keepWithinWindow(turn: Turn, hasOverflowed = false): Promise<string | null> {
  const { runtime, signal, transcript } = turn
  const { entries } = transcript
  const tier = tierOf(runtime, signal, wishedTier(runtime, signal))
  if (tier === 'reflex') return null
  const request = await requestFor(runtime, signal, entries, tier)
  const count = (text: string) => runtime.tokens.count(text)
  const parts = [request.system, ...request.tools.map(toolJson)]
  const fixed = parts.reduce((sum, text) => sum + count(text), 0)
  const tokens = fixed + count(messagesText(request.messages))
  const known = Math.floor((roomFor(runtime, signal, tier) * 4) / 3)
  const window = hasOverflowed ? Math.min(known, tokens) : known
  if (!needsCompaction(tokens, window)) return null
  const plan = planCompaction(entries, { window, fixed }, count)
  if (plan === null || plan.tokens < plan.room / 2) return null
  const { body, notice } = await compactTranscript(entries, plan, {
    count,
    acts: (tool) => runtime.tools.get(tool)?.readOnly !== true,
    askMax: window - fixed - plan.summaryMax * 2,
    summarize: (shown) => summaryBy(turn, shown),
  })
  say(turn, body)
  return notice
}

async function summaryBy(
  { abort, budget, runtime, signal }: Turn,
  entries: readonly Entry[],
): Promise<string | null> {
  const thought = await think(runtime, signal, entries, abort, { mayCall: false })
  const { brokenOff, proposal, provider, rules, usage } = thought
  budget.spend(usage)
  const isSaid = provider !== null && !rules && brokenOff === null && !abort.aborted
  return isSaid ? proposal.text : null
}
