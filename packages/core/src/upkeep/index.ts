export { type Heartbeat, heartbeatMinutes, startHeartbeat } from './heartbeat.ts'
export { tendMemory } from './maintenance.ts'
export { followMemex } from './memex-watch.ts'
export { formatMemoryProblem, type MemoryProblem, memoryProblems } from './memory-problems.ts'
