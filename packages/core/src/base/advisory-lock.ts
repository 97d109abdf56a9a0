import { chmodSync, closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

const held = new Set<DatabaseSync>()

const waitMs = 250

/** Takes the lock of this file and returns what gives it back; null when a process has it. Throws when the file cannot be opened. */
export function takeLock(path: string): (() => void) | null {
  return tryLock(path, false)
}

function tryLock(path: string, isRetry: boolean): (() => void) | null {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  keepToOwner(path)
  const inode = inodeOf(path)
  const lock = new DatabaseSync(path, { timeout: waitMs })
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    if (inode !== inodeOf(path)) throw new Error(`${path} was replaced while it was locked`)
  } catch (error) {
    lock.close()
    const code = codeOf(error)
    if (code === busy) return null
    if (isRetry || !rubbish.includes(code)) throw error
    rmSync(path)
    return tryLock(path, true)
  }
  held.add(lock)
  return () => {
    held.delete(lock)
    if (lock.isOpen) lock.close()
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}

/** SQLite's codes: somebody has it; malformed; no database. */
const busy = 5
const rubbish = [11, 26]

function codeOf(error: unknown): number {
  return Number((error as { errcode?: unknown }).errcode ?? 0) & 255
}

/** Makes the file if there is none, and closes it to everybody but its owner. */
export function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    chmodSync(path, 0o600)
  }
}

/** Whether a process, this one included, holds the lock of this file. Never throws. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  try {
    const lock = new DatabaseSync(path, { readOnly: true })
    try {
      lock.prepare('SELECT count(*) FROM sqlite_master').get()
      return false
    } finally {
      lock.close()
    }
  } catch (error) {
    return codeOf(error) === busy
  }
}
