export { findDocument, hashOf } from './keeping.ts'
export type { ImproveWhen } from './proposing.ts'
export { createSelfImprove, improveSection } from './self-improve.ts'
export { exportSkill } from './skill-export.ts'
export { createSkillFilesSkill } from './skill-files.ts'
export { importSkill } from './skill-import.ts'
export {
  callableTools,
  checkNames,
  houseOf,
  type NameProblem,
  nameable,
  toolLines,
} from './skill-names.ts'
export { skillStandards, skillStyle } from './skill-standards.ts'
export { type KnownSkill, type KnownSkills, knownSkills } from './skill-states.ts'
export { skillTemplate } from './skill-template.ts'
export {
  goBack,
  keepRunning,
  keepVersion,
  versionLines,
  versionsFolder,
  versionsOf,
  wayBack,
} from './skill-versions.ts'
export { reviewProposal } from './stages.ts'
export { loadHouse, skillPlaces } from './user-skills.ts'
