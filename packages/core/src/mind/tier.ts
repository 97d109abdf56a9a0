import type { Provider } from '../contract/provider.ts'
import type { Signal } from '../contract/signal.ts'
import type { Sessions } from '../transcript/sessions.ts'
import { ownerWords } from '../transcript/transcript.ts'

/** How much thought: none, a small model's, a large model's. */
export type Tier = 'reflex' | 'cognition' | 'reasoning'

/** What an owner can set about tiers. */
export interface TierSettings {
  /** The highest tier for heartbeats, cron and whatever else nobody has asked for. */
  background: Tier
  /** Whether rules answer what they are certain of, although there are models. */
  reflex: boolean
}

/** What a tier is chosen from. */
export interface TierContext {
  /** In the order in which they are asked. */
  providers: Provider[]
  mind: { tiers: TierSettings }
  sessions: Sessions
}

/** What is right for most. */
export const tierDefaults: TierSettings = { background: 'cognition', reflex: true }

const tiers: readonly Tier[] = ['reflex', 'cognition', 'reasoning']

function atMost(tier: Tier, ceiling: Tier): Tier {
  return tiers.indexOf(tier) <= tiers.indexOf(ceiling) ? tier : ceiling
}

/** The words that a signal is about: its own, or for a tool's output the owner's last. */
function questionOf({ sessions }: TierContext, signal: Signal): string {
  const { sensor, text = '' } = signal.payload
  if (sensor !== 'tool-output') return text
  return ownerWords(sessions.of(signal.meta.sessionId).entries).at(-1) ?? ''
}

/** Whether nobody has asked for this: the daemon's own pulse, its clock, and what follows from them. */
function isBackground({ meta, payload }: Signal): boolean {
  return meta.sessionId === undefined || ['heartbeat', 'cron'].includes(payload.sensor ?? '')
}

const thoughtful =
  /\b(?:why|explain|compare|plan (?:my|the|a|out)|design|analy[sz]e|evaluate|review|debug|refactor|prove|strategy|trade-?offs?|pros and cons|step by step|think (?:about|through|hard))\b|```/i

/** The tier of these words, by themselves. */
function tierOfWords(words: string): Exclude<Tier, 'reflex'> {
  const sentences = words.match(/[.!?。！？](?=\s|$)/g)?.length ?? 0
  return words.length > 600 || sentences > 4 || thoughtful.test(words) ? 'reasoning' : 'cognition'
}

const stepsMax = 4

/** What a signal deserves, unless somebody who knows its kind wished for another. Never throws. */
export function tierOf(context: TierContext, signal: Signal, wished: Tier | null = null): Tier {
  const ceiling = isBackground(signal) ? context.mind.tiers.background : 'reasoning'
  return atMost(wished ?? ownTier(context, signal), ceiling)
}

function ownTier(context: TierContext, signal: Signal): Tier {
  if (isBackground(signal)) return 'reflex'
  const words = questionOf(context, signal)
  const { mind, providers } = context
  const isRule = mind.tiers.reflex && providers.some((provider) => isCertain(provider, words))
  if (isRule) return 'reflex'
  return signal.depth >= stepsMax ? 'reasoning' : tierOfWords(words)
}

function isCertain(provider: Provider, words: string): boolean {
  try {
    return provider.rules === true && provider.understands?.(words) === true
  } catch {
    return false
  }
}

/** Whether a skill named a tier. */
export function isTier(value: unknown): value is Tier {
  return tiers.some((tier) => tier === value)
}

/** The providers for a tier, in the order in which they are asked. */
export function providersFor(
  { mind, providers }: Omit<TierContext, 'sessions'>,
  signal: Signal,
  tier: Tier,
): Provider[] {
  const rules = providers.filter((provider) => provider.rules === true)
  if (tier === 'reflex') return rules.length > 0 || isBackground(signal) ? rules : providers
  const models = providers.filter((provider) => provider.rules !== true)
  const isMeant = ({ tier: meant = 'any' }: Provider) => meant === 'any' || meant === tier
  if (isBackground(signal) && mind.tiers.background !== 'reasoning') {
    return [...models.filter((model) => model.tier === 'cognition'), ...rules]
  }
  return [...models.filter(isMeant), ...models.filter((model) => !isMeant(model)), ...rules]
}

/** The tier above, as far as this signal may go: where the last try goes after two rejections. */
export function tierAbove({ background }: TierSettings, signal: Signal, tier: Tier): Tier {
  if (isBackground(signal) && tier === 'reflex') return tier
  const above = tiers[tiers.indexOf(tier) + 1] ?? tier
  return isBackground(signal) ? atMost(above, background) : above
}
