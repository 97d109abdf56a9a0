export { type StandingRules, standingYes } from './always-allow.ts'
export type { Approval, Asker, Offer } from './approvals.ts'
export type { DecisionRight } from './decision-right.ts'
export { flightPlanFiles } from './flight-plans.ts'
export {
  askLater,
  type RollbackStep,
  rollbackDiff,
  rollbackSteps,
  rollFilesBack,
  stepLines,
} from './rollback.ts'
export { type Example, proveInBackground } from './rule-self-test.ts'
export { askersOf, settle, settleNow, type VerifyResult, verify } from './verify.ts'
