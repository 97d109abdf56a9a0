export {
  formatSkillProblem,
  missingCapabilities,
  readSkillDocument,
  type SkillDocument,
  type SkillProblem,
  skillBlocks,
} from './skill-document.ts'
export { readGrants, type SkillOrigin, writeGrant } from './skill-grants.ts'
export {
  createSkillEngine,
  requireGates,
  type SkillEngine,
  type SkillEngineOptions,
  type SkillStatus,
} from './skill-loader.ts'
export { inSkillOrder, readSkillFolders } from './skill-order.ts'
export { type Trial, trySkill } from './skill-trial.ts'
