export { createEvents, eventSection, type TierBudgets, tierBudgets } from './event-orchestrator.ts'
export { type EventState, type Letter, type ListedHook, openEventState } from './event-state.ts'
