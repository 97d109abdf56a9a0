export { type BreakerSettings, breakerDefaults } from './breaker.ts'
export { type Attempt, answerTimeoutMs, ask, type Cascaded } from './cascade.ts'
export type { Agreement, ConsensusSettings, Vote } from './consensus.ts'
export {
  estimateTokens,
  type PromptSettings,
  promptDefaults,
  type TokenCounter,
} from './prompt.ts'
export type { Proposal } from './proposal.ts'
export { type StreamSettings, streamDefaults } from './stream.ts'
export { masked, saidIn, type Thought } from '../pipeline/think.ts'
