export { propose } from './act.ts'
export { createRuntime, mindDefaults } from './create-runtime.ts'
export { gateContext, withTarget } from './gate-context.ts'
export { ingestMemex, remember } from './ingest.ts'
export { type Interrupted, interruptedText, interruptedTurn } from './interrupted-turn.ts'
export { createLoop, type Loop } from './loop.ts'
export { tellOwner } from './outbox.ts'
export { promptContents, promptText } from './prompt-parts.ts'
export type {
  Actuator,
  JobWord,
  MindSettings,
  Runtime,
  RuntimeConfig,
  SensorHandler,
  Skill,
  Tool,
  ToolContext,
  ToolResult,
} from './runtime.ts'
export { defineSkill, loadSkills, shortForm } from './skill.ts'
export { callTool, cutOutput } from './tool-call.ts'
export { findToolsName, groupsFor, offerFor } from './tool-offer.ts'
export {
  forgetfulTrace,
  openTrace,
  type Trace,
  type TraceEvent,
  type TraceRecord,
} from './trace.ts'
export {
  findEntry,
  type ReadRecord,
  readTrace,
  readTraceDay,
  type TraceEntry,
  traceDays,
  traceFolder,
} from './trace-read.ts'
export { turnLimits } from './turn-budget.ts'
