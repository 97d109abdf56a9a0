export {
  judge,
  type LineVerdict,
  openStack,
  type Stack,
  verdictOf,
} from './commands/gates-check.ts'
export { type ActionLine, readActionLine } from './common/action-line.ts'
export { actuators } from './common/actuators.ts'
export { type ProposalText, type Review, reviewProposal } from './improve/stages.ts'
export { embeddingBackend } from './models/embedding-backends.ts'
export { modelSection, models } from './models/models.ts'
export { memoryTools } from './notes/memory-tools.ts'
export { notes } from './notes/notes.ts'
export { tasks } from './notes/tasks.ts'
export type { PlannerCommand } from './planner/commands.ts'
export { plannerRules, readCommand } from './planner/grammar.ts'
export { planner } from './planner/planner.ts'
export { readConfig } from './secrets/config-secrets.ts'
export { secretsIn } from './secrets/secret-content.ts'
export { openVault, type Vault, type VaultOptions } from './secrets/vault.ts'
export { matcherFor } from './secrets/vault-match.ts'
export { dispatcher } from './verdicts/gate-dispatcher.ts'
export { policy } from './verdicts/gate-policy.ts'
export { validator } from './verdicts/gate-validator.ts'
