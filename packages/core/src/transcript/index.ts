export {
  compactTranscript,
  needsCompaction,
  planCompaction,
  undoCompaction,
} from './compaction.ts'
export { messagesOf } from './messages.ts'
export { resultLines, shownResult } from './results.ts'
export {
  openSessionFiles,
  sessionFolder,
} from './session-file.ts'
export { type SessionHit, searchOf } from './session-search.ts'
export {
  placeSessions,
  type SessionSettings,
  sessionDefaults,
  sessionSection,
} from './session-settings.ts'
export { type SessionSummary, Sessions } from './sessions.ts'
export type {
  Entry,
  EntryBody,
  EntryOf,
} from './transcript.ts'
