export {
  type Announcement,
  findDaemon,
  readToken,
  socketPathOf,
} from '../base/announcement.ts'
export { findInstance, type Instance, isAlive } from '../base/daemon-lock.ts'
export {
  cacheDirectory,
  configDirectory,
  dataDirectory,
  skillsDirectory,
  stateDirectory,
} from '../base/directories.ts'
export { formatLogLine, lastLogLines, logPath } from '../base/log-file.ts'
export { objectToPlist, PlistError, plistToObject, printPlist, readPlist } from '../base/plist.ts'
export {
  fieldText,
  type Signal,
  type SignalMeta,
  type SignalPayload,
  type SignalType,
} from '../contract/signal.ts'
export {
  type Client,
  type ConnectOptions,
  connect,
  connectToDaemon,
  findAnsweringDaemon,
} from './client.ts'
export { decodeSignal, encodeSignal } from './envelope.ts'
export { encodeFrame, FrameDecoder, FrameError, frameMaxCodePoints } from './frame.ts'
export { HandshakeError, type Hello, proofOf, protocolVersions } from './handshake.ts'
export { type Deed, type Question, readDeed, readQuestions } from './session-state.ts'
