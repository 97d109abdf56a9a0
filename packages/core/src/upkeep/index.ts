export { type Heartbeat, heartbeatMinutes, startHeartbeat } from './heartbeat.ts'
export { tendMemory } from './maintenance.ts'
export { type Changed, followMemex, ingestPaths, type MemexWatch } from './memex-watch.ts'
export {
  formatMemoryProblem,
  type MemoryProblem,
  memoryProblems,
  ProblemTeller,
} from './memory-problems.ts'
export { secondLook } from './rescan.ts'
export type { Job, JobState } from './scheduler.ts'
