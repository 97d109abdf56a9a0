export { type BreakerSettings, breakerDefaults } from './breaker.ts'
export { type Attempt, answerTimeoutMs, ask, type Cascaded } from './cascade.ts'
export type { Agreement, ConsensusSettings, Vote } from './consensus.ts'
export { type PromptSettings, promptDefaults } from './prompt.ts'
export { masked } from './prompt-mask.ts'
export type { Proposal } from './proposal.ts'
export { type StreamSettings, streamDefaults } from './stream.ts'
export {
  isBackground,
  providersFor,
  type Tier,
  type TierSettings,
  tierDefaults,
} from './tier.ts'
