export { announcementPath, findDaemon, socketPathOf } from './announcement.ts'
export { type Clock, setAlarm } from './clock.ts'
export { commandName } from './command-name.ts'
export { findInstance, holdInstance, isServed, watchInstance } from './daemon-lock.ts'
export { type DayNumber, dayNumber, dayText, localDay } from './day.ts'
export {
  cacheDirectory,
  configDirectory,
  dataDirectory,
  leftRestores,
  restorePrefix,
  skillsDirectory,
  stateDirectory,
} from './directories.ts'
export { editDistance } from './edit-distance.ts'
export { lockHolder } from './file-lock.ts'
export { type Ignore, parseIgnore } from './ignore.ts'
export { diffOf } from './line-diff.ts'
export { type Log, type LogLevel, logPath, openLog } from './log-file.ts'
export { replaceFile, writeNewFile } from './new-file.ts'
export { once } from './once.ts'
export { ownVersion } from './own-package.ts'
export { messageOf, print, printError, refusalOf } from './printing.ts'
export { keepPrivate, keepState } from './private-folder.ts'
export { isSingleLine, onOneLine, singleLine } from './single-line.ts'
export { SqliteFile, type SqliteOptions } from './sqlite.ts'
export { type Database, DatabaseError } from './sqlite-access.ts'
export { saveRows } from './sqlite-rescue.ts'
