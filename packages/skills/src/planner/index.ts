export type { PlannerCommand } from './commands.ts'
export { plannerRules, readCommand } from './grammar.ts'
export { planner } from './planner.ts'
