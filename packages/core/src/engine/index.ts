export type { SkillEngineOptions, SkillStatus } from './running-skills.ts'
export {
  formatSkillProblem,
  missingCapabilities,
  readSkillDocument,
  type SkillDocument,
  type SkillProblem,
  skillBlocks,
} from './skill-document.ts'
export { readGrants, type SkillOrigin, writeGrant } from './skill-grants.ts'
export { createSkillEngine, requireGates, type SkillEngine } from './skill-loader.ts'
export { inSkillOrder, readSkillFolders } from './skill-order.ts'
export { type Trial, trySkill } from './skill-trial.ts'
