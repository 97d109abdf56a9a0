export {
  type Announcement,
  announcementPath,
  findDaemon,
  socketPathOf,
} from './announcement.ts'
export { type Clock, setAlarm } from './clock.ts'
export { commandName } from './command-name.ts'
export {
  findInstance,
  holdInstance,
  type Instance,
  InstanceError,
  isAlive,
  isHeld,
  isServed,
  watchInstance,
} from './daemon-lock.ts'
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
export { editDistance } from './edit-distance.ts'
export { type LockHolder, lockHolder } from './file-lock.ts'
export { type Ignore, parseIgnore } from './ignore.ts'
export { diffOf, type LineStep, lineDiff } from './line-diff.ts'
export { type Log, type LogFile, type LogLevel, logPath, openLog } from './log-file.ts'
export { writeNewFile } from './new-file.ts'
export { ownVersion } from './own-package.ts'
export { messageOf, print, printable, printError } from './printing.ts'
export { FolderError, type FolderReport, keepPrivate, keepState } from './private-folder.ts'
export { isHeaderField, isSingleLine, lineEnds, onOneLine, singleLine } from './single-line.ts'
export { SqliteFile, type SqliteOptions } from './sqlite.ts'
export type { Row } from './sqlite-access.ts'
export { type Database, DatabaseError, type Statement } from './sqlite-access.ts'
export { saveRows } from './sqlite-rescue.ts'
