export type { Answer, Listener } from './answer.ts'
export type { ForeignTool, Gate, GateContext, ToolFacts, Verdict } from './gate.ts'
export {
  estimateTokens,
  type FailureKind,
  type Provider,
  type ProviderEvent,
  type ProviderFailure,
  type ProviderRequest,
  type ProviderTier,
  type TokenCounter,
  type ToolSpec,
} from './provider.ts'
export { likeName, type NamedParts, takenNames } from './reserved-names.ts'
export {
  type Action,
  type ActionPayload,
  fieldText,
  messageAction,
  type Parsed,
  type Provenance,
  parseAction,
  parseSignal,
  type Signal,
  type SignalPayload,
} from './signal.ts'
export {
  describeArguments,
  exampleOf,
  nearestName,
  readArguments,
} from './tool-arguments.ts'
