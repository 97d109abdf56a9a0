export {
  judge,
  type LineVerdict,
  openStack,
  type Stack,
  verdictOf,
} from '@passepartout/commands/gates-check'
export { type ActionLine, readActionLine } from '@passepartout/commands/gates'
export { actuators } from './common/actuators.ts'
export { type ProposalText, type Review, reviewProposal } from './improve/stages.ts'
export { embeddingBackend } from '@passepartout/models/embeddings'
export { modelSection, models } from '@passepartout/models/profiles'
export { memoryTools } from './notes/memory-tools.ts'
export { notes } from './notes/notes.ts'
export { tasks } from './notes/tasks.ts'
export type { PlannerCommand } from './planner/commands.ts'
export { plannerRules, readCommand } from './planner/grammar.ts'
export { planner } from './planner/planner.ts'
export { readConfig } from '@passepartout/gates/secrets'
export { secretsIn } from '@passepartout/gates/secrets'
export { openVault, type Vault, type VaultOptions } from '@passepartout/gates/secrets'
export { matcherFor } from '@passepartout/gates/secrets'
export { dispatcher } from '@passepartout/gates/verdicts'
export { policy } from '@passepartout/gates/verdicts'
export { validator } from '@passepartout/gates/verdicts'
