import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeLock } from './advisory-lock.ts'
import { isOpen } from './private-folder.ts'

/** The folder of this user for what ends with the machine; null when there is none that is ours. */
function runtimeFolder(): string | null {
  const user = process.getuid?.() ?? 0
  const session = `/run/user/${user}`
  const folder = isOwn(session)
    ? join(session, 'passepartout')
    : join(process.platform === 'linux' ? '/tmp' : tmpdir(), `passepartout-${user}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    return null
  }
  return isOwn(folder) ? folder : null
}

function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  const user = process.getuid?.() ?? found?.uid
  return found?.isDirectory() === true && found.uid === user && !isOpen(found)
}

/** Where the others look who see the notes; null when nobody else does. */
function sharedLock(memex: string): string | null {
  if (isFolder(join(memex, '.git'))) return join(memex, '.git', 'passepartout.lock')
  const path = join(memex, '.passepartout.lock')
  const isContainer = ['/.dockerenv', '/run/.containerenv'].some((mark) => existsSync(mark))
  return isContainer || !isOwn(memex) || existsSync(path) ? path : null
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Another daemon serves the memex. */
export class MemexHeldError extends Error {
  constructor(memex: string, holder: string | null) {
    const who = holder ?? 'another user, or one in a container'
    const why = 'two would do every job and every edit twice'
    super(`A daemon serves ${memex} already, and ${why}: ${who}. Stop that one first.`)
    this.name = 'MemexHeldError'
  }
}

/** Takes the memex for this process; returns what gives it back. Throws a MemexHeldError. A folder that is not there is nobody's. */
export function holdMemex(memex: string, stateDir: string): () => void {
  const found = statSync(memex, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true) return () => {}
  const folder = runtimeFolder()
  const own = folder === null ? null : join(folder, `memex-${found.dev}-${found.ino}.lock`)
  const releases: (() => void)[] = []
  const release = () => {
    for (const one of releases.splice(0)) one()
  }
  for (const path of [own, sharedLock(memex)]) {
    if (path === null) continue
    const taken = tryLock(path)
    if (taken === null) {
      release()
      throw new MemexHeldError(memex, own === null ? null : holderAt(`${own}.who`))
    }
    releases.push(taken)
  }
  if (own !== null) releases.push(sign(`${own}.who`, stateDir))
  return release
}

/** Null when another process has it. A lock that cannot be made is done without. */
function tryLock(path: string): (() => void) | null {
  try {
    const release = takeLock(path)
    if (release === null) return null
    return () => {
      rmSync(path, { force: true })
      release()
    }
  } catch {
    return () => {}
  }
}

function sign(path: string, stateDir: string): () => void {
  try {
    writeFileSync(path, `process ${process.pid}, with its state in ${stateDir}`, { mode: 0o600 })
  } catch {
    // The lock holds without it.
  }
  return () => rmSync(path, { force: true })
}

function holderAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').slice(0, 4_096)
  } catch {
    return null
  }
}
