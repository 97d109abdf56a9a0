import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'

/** A mark of when a process was started, which no other process of its number shares; null when it is gone or cannot be told. */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return ticks === undefined ? null : `${boot}:${ticks}`
  } catch {
    return null
  }
}

/** The daemon that has a state directory. */
export interface Instance {
  pid: number
  /** See `startOf`. */
  start: string | null
  /** The absolute path of its memex. */
  memex: string
  /** When it took the lock, as ISO 8601. */
  since: string
}

/** The daemon that has this state directory and is alive, ready or not; else null. Never throws. */
export function findInstance(stateDir: string): Instance | null {
  try {
    const instance = readInstance(readFileSync(join(stateDir, 'daemon.pid'), 'utf8'))
    return instance !== null && isAlive(instance) ? instance : null
  } catch {
    return null
  }
}

function readInstance(text: string): Instance | null {
  const found: unknown = JSON.parse(text)
  if (typeof found !== 'object' || found === null) return null
  const { pid, start, memex, since } = found as Record<string, unknown>
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return null
  if (typeof memex !== 'string' || typeof since !== 'string') return null
  return { pid, start: typeof start === 'string' ? start : null, memex, since }
}

/** Whether this very process still runs. */
export function isAlive({ pid, start }: Pick<Instance, 'pid' | 'start'>): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return start === null || startOf(pid) === start
}

/** Another daemon has the state directory. */
export class InstanceError extends Error {
  readonly instance: Instance | null

  constructor(stateDir: string, instance: Instance | null) {
    const who =
      instance === null
        ? 'Another daemon is starting'
        : `A daemon is already running: process ${instance.pid}, for ${instance.memex}, since ${instance.since}`
    super(`${who}. It has ${stateDir}. Stop it first: passepartout stop`)
    this.name = 'InstanceError'
    this.instance = instance
  }
}

/** Takes the state directory for this process; returns what gives it back. Throws an InstanceError. */
export function holdInstance(stateDir: string, memex: string, since: Date): () => void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const lock = takeLock(stateDir)
  const path = join(stateDir, 'daemon.pid')
  const { pid } = process
  const instance: Instance = { pid, start: startOf(pid), memex, since: since.toISOString() }
  writeFileSync(`${path}.new`, `${JSON.stringify(instance)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  const release = () => {
    if (!lock.isOpen) return
    rmSync(path, { force: true })
    lock.close()
  }
  process.once('exit', release)
  return release
}

function takeLock(stateDir: string, isRetry = false): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const path = join(stateDir, 'daemon.lock')
  keepToOwner(path)
  const lock = new DatabaseSync(path)
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 255 : 0
    if (code === busy) throw new InstanceError(stateDir, findInstance(stateDir))
    if (isRetry || !damaged.includes(code)) throw error
    rmSync(path)
    return takeLock(stateDir, true)
  }
}

/** SQLite's codes: somebody has it; malformed; no database. */
const busy = 5
const damaged = [11, 26]

/** Makes the file if there is none, and closes it to everybody but its owner. */
export function keepToOwner(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    chmodSync(path, 0o600)
  }
}
