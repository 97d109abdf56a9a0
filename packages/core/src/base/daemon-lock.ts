import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLocked, takeLock } from './advisory-lock.ts'
import { type Clock, setAlarm } from './clock.ts'
import { commandName } from './command-name.ts'
import { holdMemex } from './memex-lock.ts'

/** A mark of when a process was started, which no other process of its number shares; null when it is gone or cannot be told. */
export function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot}:${fields[19]}`
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
    return isServed(stateDir) ? (signedInstance(stateDir) ?? lockHolderOf(stateDir)) : null
  } catch {
    return null
  }
}

/** Whether a process, this one included, has this state directory, whatever the files in it say. Never throws. */
export function isServed(stateDir: string): boolean {
  return isLocked(lockPath(stateDir))
}

function signedInstance(stateDir: string): Instance | null {
  try {
    return readInstance(readFileSync(join(stateDir, 'daemon.pid'), 'utf8'))
  } catch {
    return null
  }
}

function lockPath(stateDir: string): string {
  return join(stateDir, 'daemon.lock')
}

/** Whom the system names as the holder of the lock, when the daemon's own note is gone. */
function lockHolderOf(stateDir: string): Instance | null {
  const { birthtime, dev, ino } = statSync(lockPath(stateDir))
  const place = new RegExp(`^\\d+: POSIX .* (\\d+) [0-9a-f:]+:${ino} `, 'm')
  const pid = Number(place.exec(readFileSync('/proc/locks', 'utf8'))?.[1] ?? 0)
  if (dev < 0 || pid < 1) return null
  return {
    pid,
    start: startOf(pid),
    memex: announcedMemex(stateDir),
    since: birthtime.toISOString(),
  }
}

function announcedMemex(stateDir: string): string {
  try {
    const found: unknown = JSON.parse(readFileSync(join(stateDir, 'daemon.json'), 'utf8'))
    const { memex } = found as Record<string, unknown>
    return typeof memex === 'string' ? memex : 'your notes'
  } catch {
    return 'your notes'
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

/** Whether this very process runs where we can see it and send it a signal. */
export function isAlive({ pid, start }: Pick<Instance, 'pid' | 'start'>): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return start === null ? !isDead(pid) : startOf(pid) === start
}

/** Whether the process has ended and its parent has not noticed; false where that cannot be told. */
function isDead(pid: number): boolean {
  return startOf(process.pid) !== null && startOf(pid) === null
}

/** Another daemon has the state directory. */
export class InstanceError extends Error {
  readonly instance: Instance | null

  constructor(stateDir: string, instance: Instance | null) {
    const who =
      instance === null
        ? 'Another daemon is starting'
        : `A daemon is already running: process ${instance.pid}, for ${instance.memex}, since ${instance.since}`
    super(`${who}. It has ${stateDir}. Stop it first: ${commandName} stop`)
    this.name = 'InstanceError'
    this.instance = instance
  }
}

/** Takes the state directory and the memex for this process; returns what gives them back. Throws an InstanceError or a MemexHeldError. */
export function holdInstance(stateDir: string, memex: string, since: Date): () => void {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const unlock = takeLock(lockPath(stateDir))
  if (unlock === null) throw new InstanceError(stateDir, findInstance(stateDir))
  const path = join(stateDir, 'daemon.pid')
  const forget = () => {
    if (isHeld(stateDir)) rmSync(path, { force: true })
  }
  const releases = [unlock, forget]
  const release = () => {
    process.off('exit', release)
    for (let one = releases.pop(); one !== undefined; one = releases.pop()) one()
  }
  try {
    releases.push(holdMemex(memex, stateDir))
    const { pid } = process
    const instance: Instance = { pid, start: startOf(pid), memex, since: since.toISOString() }
    writeFileSync(`${path}.new`, `${JSON.stringify(instance)}\n`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch (error) {
    release()
    throw error
  }
  process.once('exit', release)
  return release
}

/** Whether the lock in this state directory is still the one that this process took. */
export function isHeld(stateDir: string): boolean {
  const instance = findInstance(stateDir)
  return instance === null ? isLocked(lockPath(stateDir)) : instance.pid === process.pid
}

const lookMs = 60_000

/** Calls `lost` once when the lock is not held any more; returns what ends the looking. */
export function watchInstance(clock: Clock, stateDir: string, lost: () => void): () => void {
  let takeBack = () => {}
  const look = () => {
    if (isHeld(stateDir)) takeBack = setAlarm(clock, lookMs, look)
    else lost()
  }
  takeBack = setAlarm(clock, lookMs, look)
  return () => takeBack()
}
