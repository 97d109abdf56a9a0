export { answeringRule, offersOf } from './always-allow-rules.ts'
export { type PermissionRule, readRules, ruleAsOrg } from './permission-rules.ts'
export { checkPermissions, createPermissionsSkill, permissionsGate } from './permissions.ts'
export { createSessionModes } from './session-modes.ts'
