export type { Answer, Listener } from './answer.ts'
export type { ForeignTool, Gate, GateContext, ToolFacts, Verdict } from './gate.ts'
export type {
  FailureKind,
  Provider,
  ProviderEvent,
  ProviderFailure,
  ProviderRequest,
  ProviderTier,
  ToolSpec,
} from './provider.ts'
export { likeName, type NamedParts, takenNames } from './reserved-names.ts'
export {
  type Action,
  type ActionPayload,
  messageAction,
  type Parsed,
  type Provenance,
  parseAction,
  parseSignal,
  type Signal,
  type SignalPayload,
} from './signal.ts'
export {
  defineSkill,
  type JobWord,
  loadSkills,
  type SensorHandler,
  type Skill,
  type SkillJob,
} from '../pipeline/skill.ts'
export {
  isBackground,
  providersFor,
  type Tier,
  type TierSettings,
  tierDefaults,
} from '../mind/tier.ts'
export type { Actuator, Tool, ToolContext, ToolResult } from './tool.ts'
export {
  describeArguments,
  exampleOf,
  nearestName,
  readArguments,
} from './tool-arguments.ts'
