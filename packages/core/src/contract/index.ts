export type { ForeignTool, Gate, GateContext, ToolFacts, Verdict } from './gate.ts'
export {
  type Message,
  type ModelCall,
  type ModelPicture,
  type ModelResult,
  messagesText,
  singleMessage,
} from './message.ts'
export {
  estimateTokens,
  type FailureKind,
  type Provider,
  type ProviderEvent,
  type ProviderFailure,
  type ProviderRequest,
  type ProviderTier,
  type TokenCounter,
  type TokenUsage,
  type ToolSpec,
} from './provider.ts'
export { likeName, type NamedParts, takenNames } from './reserved-names.ts'
export {
  type Action,
  fieldText,
  isFromOutside,
  messageAction,
  type Parsed,
  type Provenance,
  parseAction,
  type Signal,
  type SignalPayload,
} from './signal.ts'
export {
  describeArguments,
  exampleOf,
  nearestName,
  readArguments,
} from './tool-arguments.ts'
export { callSchema, toolJson } from './tool-schema.ts'
