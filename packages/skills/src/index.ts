export { type ActionLine, readActionLine } from './action-line.ts'
export { actuators } from './actuators.ts'
export {
  type Config,
  type ConfigEntry,
  type ConfigProblem,
  type ConfigSection,
  configPath,
  defineSection,
  formatProblem,
  readConfig,
  readConfigFile,
} from './config.ts'
export { distill, distillPrompt } from './distill.ts'
export { type EmbeddingSettings, embeddingBackend } from './embedding-backends.ts'
export { embeddingSection } from './embedding-config.ts'
export { dispatcher } from './gate-dispatcher.ts'
export { policy } from './gate-policy.ts'
export { validator } from './gate-validator.ts'
export { judge, type LineVerdict, openStack, type Stack } from './gates-check.ts'
export { mindSection } from './mind.ts'
export {
  type ConfiguredModel,
  environmentModel,
  modelSection,
  models,
  type Secrets,
} from './models.ts'
export { notes } from './notes.ts'
export { decide, type PermissionRule, readRules, ruleAsOrg } from './permission-rules.ts'
export { createPermissionsSkill, type PermissionFacts } from './permissions.ts'
export { createPlanner, planner } from './planner.ts'
export { type AgendaEntry, agendaEntries } from './planner-agenda.ts'
export type { PlannerCommand } from './planner-commands.ts'
export { readCommand } from './planner-grammar.ts'
export { type ModelSettings, modelProvider } from './provider-stream.ts'
export { redact } from './secret-content.ts'
export { createShellSkill, sandboxGate } from './shell-actuator.ts'
export { tasks } from './tasks.ts'
export { createTokenCounter } from './tokens.ts'
export { openVault, type Vault, VaultError, type VaultOptions } from './vault.ts'
export { explain, traceFolder, turnOf, why } from './why.ts'
