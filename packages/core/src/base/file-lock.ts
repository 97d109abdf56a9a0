import { lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Who has changes to a file that are not saved. */
export interface LockHolder {
  user: string
  host: string
  pid: number
}

/** The name under which we hold locks ourselves. */
const ourName = 'passepartout'

/** Who holds the lock of this file; null when nobody does, or nobody who is alive. */
export function lockHolder(file: string): LockHolder | null {
  const found = /^(.*)@(.*)\.(\d+)(?::\d+)?$/s.exec(lockText(lockPath(file)) ?? '')
  if (found === null) return null
  const holder = { user: found[1]!, host: found[2]!, pid: Number(found[3]) }
  return holder.host === hostname() && !isAlive(holder) ? null : holder
}

function lockPath(file: string): string {
  return join(dirname(file), `.#${basename(file)}`)
}

function lockText(path: string): string | null {
  try {
    const found = lstatSync(path)
    if (found.isSymbolicLink()) return readlinkSync(path)
    return found.isFile() && found.size < 1_024 ? readFileSync(path, 'utf8') : null
  } catch {
    return null
  }
}

function isAlive({ user, pid }: LockHolder): boolean {
  if (user === ourName && pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Somebody else holds the lock. */
export class FileLocked extends Error {
  readonly holder: LockHolder

  constructor(holder: LockHolder) {
    super(`locked by ${holder.user}@${holder.host}, process ${holder.pid}`)
    this.name = 'FileLocked'
    this.holder = holder
  }
}

/** Runs with the lock of a file held. Throws FileLocked, and what the file system throws. */
export function withLock<T>(file: string, run: () => T): T {
  const path = lockPath(file)
  if (!makeLock(path)) {
    const holder = lockHolder(file)
    if (holder !== null) throw new FileLocked(holder)
    rmSync(path, { force: true, recursive: false })
    if (!makeLock(path)) throw new FileLocked(lockHolder(file) ?? unknownHolder)
  }
  try {
    return run()
  } finally {
    rmSync(path, { force: true })
  }
}

const unknownHolder: LockHolder = { user: ourName, host: hostname(), pid: 0 }

/** False when there is one. */
function makeLock(path: string): boolean {
  const sentence = `${ourName}@${hostname()}.${process.pid}`
  try {
    symlinkSync(sentence, path)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    if (!isCode(error, 'EPERM') && !isCode(error, 'ENOTSUP')) throw error
  }
  try {
    writeFileSync(path, sentence, { flag: 'wx' })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
