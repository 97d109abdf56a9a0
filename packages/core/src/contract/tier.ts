import { messageOf } from '../base/printing.ts'
import type { Runtime } from '../pipeline/runtime.ts'
import type { Provider } from './provider.ts'
import type { Signal } from './signal.ts'

/** How much thought: none, a small model's, a large model's. */
export type Tier = 'reflex' | 'cognition' | 'reasoning'

/** What an owner can set about tiers. */
export interface TierSettings {
  /** The highest tier for heartbeats, cron and whatever else nobody has asked for. */
  background: Tier
  /** Whether rules answer what they are certain of, although there are models. */
  reflex: boolean
}

/** What is right for most. */
export const tierDefaults: TierSettings = { background: 'cognition', reflex: true }

const tiers: readonly Tier[] = ['reflex', 'cognition', 'reasoning']

function atMost(tier: Tier, ceiling: Tier): Tier {
  return tiers.indexOf(tier) <= tiers.indexOf(ceiling) ? tier : ceiling
}

/** The words that a signal is about: its own, or for a tool's output the owner's last. */
function questionOf(runtime: Pick<Runtime, 'conversations'>, signal: Signal): string {
  const { sensor, text = '' } = signal.payload
  if (sensor !== 'tool-output') return text
  const said = runtime.conversations.of(signal.meta.sessionId ?? '')
  return said.findLast(({ speaker }) => speaker === 'owner')?.text ?? ''
}

/** Whether nobody has asked for this: the daemon's own pulse, its clock, and what follows from them. */
export function isBackground({ meta, payload }: Signal): boolean {
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

/** What a signal deserves. Deterministic; never throws. */
export function tierOf(runtime: Runtime, signal: Signal): Tier {
  const ceiling = isBackground(signal) ? runtime.mind.tiers.background : 'reasoning'
  return atMost(skillsTier(runtime, signal) ?? ownTier(runtime, signal), ceiling)
}

function ownTier(runtime: Runtime, signal: Signal): Tier {
  if (isBackground(signal)) return 'reflex'
  const words = questionOf(runtime, signal)
  const { reflex } = runtime.mind.tiers
  if (reflex && runtime.providers.some((provider) => isCertain(provider, words))) return 'reflex'
  return signal.depth >= stepsMax ? 'reasoning' : tierOfWords(words)
}

function isCertain(provider: Provider, words: string): boolean {
  try {
    return provider.rules === true && provider.understands?.(words) === true
  } catch {
    return false
  }
}

function skillsTier(runtime: Runtime, signal: Signal): Tier | null {
  const ordered = [...runtime.skills].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
  for (const skill of ordered) {
    try {
      const tier = skill.classify?.(signal, runtime)
      if (tier !== undefined && tier !== null && tiers.includes(tier)) return tier
    } catch (error) {
      runtime.log('warn', `${skill.name} could not classify: ${messageOf(error)}`)
    }
  }
  return null
}

/** The providers for a tier, in the order in which they are asked. */
export function providersFor(runtime: Runtime, signal: Signal, tier: Tier): Provider[] {
  const rules = runtime.providers.filter((provider) => provider.rules === true)
  if (tier === 'reflex') return rules.length > 0 || isBackground(signal) ? rules : runtime.providers
  const models = runtime.providers.filter((provider) => provider.rules !== true)
  const isMeant = ({ tier: meant = 'any' }: Provider) => meant === 'any' || meant === tier
  if (isBackground(signal) && runtime.mind.tiers.background !== 'reasoning') {
    return [...models.filter((model) => model.tier === 'cognition'), ...rules]
  }
  return [...models.filter(isMeant), ...models.filter((model) => !isMeant(model)), ...rules]
}

/** The tier above, as far as this signal may go: where the last try goes after two rejections. */
export function tierAbove(runtime: Runtime, signal: Signal, tier: Tier): Tier {
  if (isBackground(signal) && tier === 'reflex') return tier
  const above = tiers[tiers.indexOf(tier) + 1] ?? tier
  return isBackground(signal) ? atMost(above, runtime.mind.tiers.background) : above
}
