export { type Proposed, propose } from './pipeline/act.ts'
export {
  type AgendaDay,
  type AgendaItem,
  type AgendaKind,
  type AgendaSettings,
  agenda,
  diaryNotes,
} from './search/agenda.ts'
export {
  type Announcement,
  announcementPath,
  findDaemon,
  socketPathOf,
} from './base/announcement.ts'
export type { Answer, Listener } from './contract/answer.ts'
export type { Approval, Asker } from './approval/approvals.ts'
export { type BreakerSettings, breakerDefaults } from './mind/breaker.ts'
export { bringBack, type GoneNote, goneNotes, type Return } from './memex/restore-note.ts'
export { type Attempt, answerTimeoutMs, ask, type Cascaded } from './mind/cascade.ts'
export { findAnsweringDaemon } from './wire/client.ts'
export { type Clock, setAlarm } from './base/clock.ts'
export { commandName } from './base/command-name.ts'
export { isConflictCopy } from './memory/conflict-copy.ts'
export type { Agreement, ConsensusSettings, Vote } from './mind/consensus.ts'
export {
  assembleContext,
  type ContextOptions,
  type ContextPlace,
  explainContext,
} from './search/context.ts'
export { MemoryDatabase, openDatabase, readDatabase } from './memory/database.ts'

export {
  type DayNumber,
  dayNumber,
  dayText,
  leadDays,
  localDay,
  repeatsWithin,
  repetitionsOf,
} from './base/day.ts'
export {
  cacheDirectory,
  configDirectory,
  dataDirectory,
  skillsDirectory,
  stateDirectory,
} from './base/directories.ts'
export { type EmbeddingBackend, EmbeddingFault, trigramBackend } from './search/embedding.ts'
export {
  type EmbeddingStatus,
  Embeddings,
  type EmbeddingsOptions,
  type SimilarOptions,
} from './search/embeddings.ts'
export { type DateKind, factsOf, type NoteDate, type NoteFacts, type NoteLink } from './memory/facts.ts'
export { type LockHolder, lockHolder } from './base/file-lock.ts'
export { flightPlanFiles } from './approval/flight-plans.ts'
export {
  explainText,
  FullText,
  indexedText,
  type TextField,
  type TextHit,
  type TextNote,
  type TextQuery,
  type TextTerm,
  textFields,
  textTerms,
  textWeights,
} from './search/full-text.ts'

export type { ForeignTool, Gate, GateContext, ToolFacts, Verdict } from './contract/gate.ts'
export { type Heartbeat, heartbeatMinutes, startHeartbeat } from './upkeep/heartbeat.ts'
export {
  type Archive,
  type Authorship,
  authorshipAfter,
  byOwner,
  type Change,
  type Differences,
  differences,
  type Flaw,
  firstFlaw,
  History,
  textHash,
  textOfVersion,
  type Version,
  versionHash,
} from './memory/history.ts'
export { type Ignore, parseIgnore } from './base/ignore.ts'
export {
  backlinks,
  brokenLinks,
  byPlace,
  Indexes,
  isOrphan,
  linksFrom,
  linkTarget,
} from './search/indexes.ts'

export {
  findInstance,
  holdInstance,
  type Instance,
  InstanceError,
  isAlive,
  isHeld,
  watchInstance,
} from './base/daemon-lock.ts'
export { Jail, type JailLimits, type JailVerdict, jailDefaults } from './jail/jail.ts'
export { type Contribution, JailError } from './jail/data.ts'
export { type LineStep, lineDiff } from './base/line-diff.ts'
export { type LogFile, type LogLevel, logPath, openLog } from './base/log-file.ts'
export { createLoop, type Loop } from './pipeline/loop.ts'
export { type Memex, MemexError, openMemex, type Unread } from './memex/memex.ts'
export { type Changed, followMemex, ingestPaths, type MemexWatch } from './upkeep/memex-watch.ts'
export { exportMemory, importMemory } from './memory/export.ts'
export { compact, gc, gcDefaults } from './memory/garbage-collection.ts'
export {
  formatMemoryProblem,
  type MemoryProblem,
  memoryProblems,
  ProblemTeller,
} from './upkeep/memory-problems.ts'

export { elementById, elementsOf, elementsOfStore, type NamedElement } from './memory/named-elements.ts'
export { editDistance } from './search/fuzzy-terms.ts'
export { writeNewFile } from './base/new-file.ts'
export {
  type EditDesk,
  type EditPlan,
  editNotes,
  inverse,
  type NoteEdit,
  type WrittenEdit,
} from './memex/note-edit.ts'
export type { DecisionRight } from './pipeline/outbox.ts'
export { type Presence, presenceOf } from './wire/presence.ts'
export { print, printable, printError } from './base/printing.ts'
export { FolderError, type FolderReport, keepPrivate, keepState } from './base/private-folder.ts'
export {
  estimateTokens,
  type PromptSettings,
  promptDefaults,
  type TokenCounter,
} from './mind/prompt.ts'
export { type Example, Proofs, proveInBackground } from './approval/rule-self-test.ts'
export type { Proposal } from './mind/proposal.ts'
export type {
  FailureKind,
  Provider,
  ProviderEvent,
  ProviderFailure,
  ProviderRequest,
  ProviderTier,
  ToolSpec,
} from './contract/provider.ts'

export {
  type Leaf,
  listObjectsWithAttribute,
  type Query,
  type QueryHit,
  type QueryOptions,
  querySchema,
  runQuery,
} from './search/query.ts'
export { isPlainWords, parseQuery, pointedError, QueryError } from './search/query-language.ts'

export { diffOf } from './approval/dry-run.ts'
export {
  type Hit,
  type RetrieveOptions,
  retrieve,
  retrieveHybrid,
  type Source,
} from './search/retrieval.ts'
export {
  askLater,
  difference,
  type RollbackStep,
  rollbackDiff,
  rollbackSteps,
  rollFilesBack,
  stepLines,
} from './approval/rollback.ts'
export {
  createRuntime,
  gateContext,
  ingestMemex,
  type Log,
  type MindSettings,
  mindDefaults,
  type Runtime,
  type RuntimeConfig,
  remember,
  tellOwner,
  withTarget,
} from './pipeline/runtime.ts'
export {
  dropSnapshot,
  type SavedSnapshot,
  savedMoments,
  savedSnapshot,
  savedSnapshots,
  saveSnapshot,
} from './memory/snapshot-store.ts'

export type { Job, JobState } from './upkeep/scheduler.ts'
export { readScope, type Scope } from './memory/scope.ts'
export { Scopes } from './memory/scopes.ts'
export { secondLook } from './upkeep/rescan.ts'
export { type Server, type ServerOptions, startServer } from './wire/server.ts'
export { openQuestions, sessionFacts } from './wire/session-state.ts'
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
} from './contract/signal.ts'
export { isHeaderField, isSingleLine, singleLine } from './base/single-line.ts'
export {
  defineSkill,
  type JobWord,
  loadSkills,
  type SensorHandler,
  type Skill,
  type SkillJob,
} from './contract/skill.ts'

export {
  contributions,
  formatSkillProblem,
  missingCapabilities,
  readSkillDocument,
  type SkillBlock,
  type SkillDocument,
  type SkillProblem,
  skillBlocks,
} from './engine/skill-document.ts'
export { type Grant, readGrants, type SkillOrigin, writeGrant } from './engine/skill-grants.ts'
export {
  createSkillEngine,
  requireGates,
  type SkillEngine,
  type SkillEngineOptions,
  type SkillStatus,
} from './engine/skill-loader.ts'
export { readSkillFolders, type SkillFolder } from './engine/skill-order.ts'
export { type TestResult, type Trial, trySkill } from './engine/skill-trial.ts'

export { type Moment, Moments, momentsMax } from './memory/snapshots.ts'
export {
  type Database,
  DatabaseError,
  type Row,
  SqliteFile,
  type SqliteOptions,
  type Statement,
  saveRows,
} from './base/sqlite.ts'
export { type Offer, type StandingRules, standingYes } from './approval/always-allow.ts'
export {
  changesBetween,
  checkStore,
  type DuplicateId,
  duplicateIds,
  type MemoryObject,
  type NoteChange,
  type ObjectQuery,
  ObjectStore,
  type Snapshot,
} from './memory/store.ts'
export { type StreamSettings, streamDefaults } from './mind/stream.ts'
export { tendMemory } from './upkeep/maintenance.ts'

export { masked, saidIn, type Thought } from './mind/think.ts'
export { isBackground, providersFor, type Tier, type TierSettings, tierDefaults } from './contract/tier.ts'
export type { Actuator, Tool, ToolContext, ToolResult } from './contract/tool.ts'
export { describeArguments, exampleOf, nearestName, readArguments } from './contract/tool-arguments.ts'
export { callTool, cutOutput, formatToolResult, type ToolOutcome } from './pipeline/tool-call.ts'
export {
  forgetfulTrace,
  type Mask,
  openTrace,
  type Trace,
  type TraceEvent,
  type TraceRecord,
  type TraceVerdict,
} from './pipeline/trace.ts'
export {
  findEntry,
  type ReadRecord,
  readTrace,
  readTraceDay,
  type TraceEntry,
  traceDays,
} from './pipeline/trace-read.ts'
export { type KeptVectors, openVectors } from './search/vector-store.ts'
export {
  askersOf,
  type GateRecord,
  objections,
  settle,
  settleNow,
  type VerifyResult,
  verdictsOf,
  verify,
} from './approval/verify.ts'
export {
  hasPrivateTag,
  lastClosing,
  originalOf,
  privateTagsDefault,
  type Sight,
  sightOf,
} from './memory/private-view.ts'
