export { messagesOf } from './messages.ts'
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
