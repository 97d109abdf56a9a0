export { messagesOf } from './messages.ts'
export { resultLines } from './results.ts'
export { Sessions, type TranscriptStore } from './sessions.ts'
export {
  type Entry,
  type EntryBody,
  type EntryOf,
  openCalls,
  ownerWords,
  Transcript,
  taintOf,
} from './transcript.ts'
