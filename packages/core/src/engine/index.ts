export type { SkillEngineOptions, SkillStatus } from './running-skills.ts'
export {
  contributions,
  formatSkillProblem,
  missingCapabilities,
  readSkillDocument,
  type SkillBlock,
  type SkillDocument,
  type SkillProblem,
  skillBlocks,
} from './skill-document.ts'
export { type Grant, readGrants, type SkillOrigin, writeGrant } from './skill-grants.ts'
export { createSkillEngine, requireGates, type SkillEngine } from './skill-loader.ts'
export { inSkillOrder, readSkillFolders, type SkillFolder } from './skill-order.ts'
export { type TestResult, type Trial, trySkill } from './skill-trial.ts'
