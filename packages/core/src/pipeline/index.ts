export { type Proposed, propose } from './act.ts'
export { gateContext, withTarget } from './gate-context.ts'
export { type Interrupted, interruptedText, interruptedTurn } from './interrupted-turn.ts'
export { createLoop, type Loop } from './loop.ts'
export type { DecisionRight } from './outbox.ts'
export {
  createRuntime,
  ingestMemex,
  type Log,
  type MindSettings,
  mindDefaults,
  type Runtime,
  type RuntimeConfig,
  remember,
  tellOwner,
} from './runtime.ts'
export { callTool, cutOutput, formatToolResult, type ToolOutcome } from './tool-call.ts'
export {
  forgetfulTrace,
  type Mask,
  openTrace,
  type Trace,
  type TraceEvent,
  type TraceRecord,
  type TraceVerdict,
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
