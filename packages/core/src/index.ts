export { type Proposed, propose } from './act.ts'
export {
  type AgendaDay,
  type AgendaItem,
  type AgendaKind,
  type AgendaSettings,
  agenda,
  diaryNotes,
} from './agenda.ts'
export {
  type Announcement,
  announcementPath,
  findDaemon,
  socketPathOf,
} from './announcement.ts'
export type { Answer, Listener } from './answer.ts'
export type { Approval, Asker } from './approvals.ts'
export { type BreakerSettings, breakerDefaults } from './breaker.ts'
export { bringBack, type GoneNote, goneNotes, type Return } from './bring-back.ts'
export { type Attempt, answerTimeoutMs, ask, type Cascaded } from './cascade.ts'
export { findAnsweringDaemon } from './client.ts'
export { type Clock, setAlarm } from './clock.ts'
export { commandName } from './command-name.ts'
export { isConflictCopy } from './conflict-copy.ts'
export type { Agreement, ConsensusSettings, Vote } from './consensus.ts'
export {
  assembleContext,
  type ContextOptions,
  type ContextPlace,
  explainContext,
} from './context.ts'
export { MemoryDatabase, openDatabase, readDatabase } from './database.ts'

export {
  type DayNumber,
  dayNumber,
  dayText,
  leadDays,
  localDay,
  repeatsWithin,
  repetitionsOf,
} from './day.ts'
export {
  cacheDirectory,
  configDirectory,
  dataDirectory,
  skillsDirectory,
  stateDirectory,
} from './directories.ts'
export { type EmbeddingBackend, EmbeddingFault, trigramBackend } from './embedding.ts'
export {
  type EmbeddingStatus,
  Embeddings,
  type EmbeddingsOptions,
  type SimilarOptions,
} from './embeddings.ts'
export { type DateKind, factsOf, type NoteDate, type NoteFacts, type NoteLink } from './facts.ts'
export { type LockHolder, lockHolder } from './file-lock.ts'
export { flightPlanFiles } from './flight-plans.ts'
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
} from './full-text.ts'

export type { ForeignTool, Gate, GateContext, ToolFacts, Verdict } from './gate.ts'
export { type Heartbeat, heartbeatMinutes, startHeartbeat } from './heartbeat.ts'
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
} from './history.ts'
export { type Ignore, parseIgnore } from './ignore.ts'
export {
  backlinks,
  brokenLinks,
  byPlace,
  Indexes,
  isOrphan,
  linksFrom,
  linkTarget,
} from './indexes.ts'

export {
  findInstance,
  holdInstance,
  type Instance,
  InstanceError,
  isAlive,
  isHeld,
  watchInstance,
} from './instance.ts'
export { Jail, type JailLimits, type JailVerdict, jailDefaults } from './jail.ts'
export { type Contribution, JailError } from './jail-data.ts'
export { type LineStep, lineDiff } from './line-diff.ts'
export { type LogFile, type LogLevel, logPath, openLog } from './log-file.ts'
export { createLoop, type Loop } from './loop.ts'
export { type Memex, MemexError, openMemex, type Unread } from './memex.ts'
export { type Changed, followMemex, ingestPaths, type MemexWatch } from './memex-watch.ts'
export { exportMemory, importMemory } from './memory-export.ts'
export { compact, gc, gcDefaults } from './memory-gc.ts'
export {
  formatMemoryProblem,
  type MemoryProblem,
  memoryProblems,
  ProblemTeller,
} from './memory-problems.ts'

export { elementById, elementsOf, elementsOfStore, type NamedElement } from './named-elements.ts'
export { editDistance } from './near-terms.ts'
export { writeNewFile } from './new-file.ts'
export {
  type EditDesk,
  type EditPlan,
  editNotes,
  inverse,
  type NoteEdit,
  type WrittenEdit,
} from './note-edit.ts'
export type { DecisionRight } from './outbox.ts'
export { type Presence, presenceOf } from './presence.ts'
export { print, printable, printError } from './printing.ts'
export { FolderError, type FolderReport, keepPrivate, keepState } from './private-folder.ts'
export {
  estimateTokens,
  type PromptSettings,
  promptDefaults,
  type TokenCounter,
} from './prompt.ts'
export { type Example, Proofs, proveInBackground } from './proof.ts'
export type { Proposal } from './proposal.ts'
export type {
  FailureKind,
  Provider,
  ProviderEvent,
  ProviderFailure,
  ProviderRequest,
  ProviderTier,
  ToolSpec,
} from './provider.ts'

export {
  type Leaf,
  listObjectsWithAttribute,
  type Query,
  type QueryHit,
  type QueryOptions,
  querySchema,
  runQuery,
} from './query.ts'
export { isPlainWords, parseQuery, pointedError, QueryError } from './query-language.ts'

export { diffOf } from './rehearsal.ts'
export {
  type Hit,
  type RetrieveOptions,
  retrieve,
  retrieveHybrid,
  type Source,
} from './retrieval.ts'
export {
  askLater,
  difference,
  type RollbackStep,
  rollbackDiff,
  rollbackSteps,
  rollFilesBack,
  stepLines,
} from './rollback.ts'
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
} from './runtime.ts'
export {
  dropSnapshot,
  type SavedSnapshot,
  savedMoments,
  savedSnapshot,
  savedSnapshots,
  saveSnapshot,
} from './saved-moments.ts'

export type { Job, JobState } from './scheduler.ts'
export { readScope, type Scope } from './scope.ts'
export { Scopes } from './scopes.ts'
export { secondLook } from './second-look.ts'
export { type Server, type ServerOptions, startServer } from './server.ts'
export { openQuestions, sessionFacts } from './session-facts.ts'
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
export { isHeaderField, isSingleLine, singleLine } from './single-line.ts'
export {
  defineSkill,
  type JobWord,
  loadSkills,
  type SensorHandler,
  type Skill,
  type SkillJob,
} from './skill.ts'

export {
  contributions,
  formatSkillProblem,
  missingCapabilities,
  readSkillDocument,
  type SkillBlock,
  type SkillDocument,
  type SkillProblem,
  skillBlocks,
} from './skill-document.ts'
export { type Grant, readGrants, type SkillOrigin, writeGrant } from './skill-grants.ts'
export {
  createSkillEngine,
  requireGates,
  type SkillEngine,
  type SkillEngineOptions,
  type SkillStatus,
} from './skill-loader.ts'
export { readSkillFolders, type SkillFolder } from './skill-order.ts'
export { type TestResult, type Trial, trySkill } from './skill-trial.ts'

export { type Moment, Moments, momentsMax } from './snapshots.ts'
export {
  type Database,
  DatabaseError,
  type Row,
  SqliteFile,
  type SqliteOptions,
  type Statement,
  saveRows,
} from './sqlite.ts'
export { type Offer, type StandingRules, standingYes } from './standing.ts'
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
} from './store.ts'
export { type StreamSettings, streamDefaults } from './stream.ts'
export { tendMemory } from './tend.ts'

export { masked, saidIn, type Thought } from './think.ts'
export { isBackground, providersFor, type Tier, type TierSettings, tierDefaults } from './tier.ts'
export type { Actuator, Tool, ToolContext, ToolResult } from './tool.ts'
export { describeArguments, exampleOf, nearestName, readArguments } from './tool-arguments.ts'
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
} from './trace-read.ts'
export { type KeptVectors, openVectors } from './vectors-kept.ts'
export {
  askersOf,
  type GateRecord,
  objections,
  settle,
  settleNow,
  type VerifyResult,
  verdictsOf,
  verify,
} from './verify.ts'
export {
  hasPrivateTag,
  lastClosing,
  originalOf,
  privateTagsDefault,
  type Sight,
  sightOf,
} from './visible.ts'
