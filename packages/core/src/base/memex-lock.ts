import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative, sep } from 'node:path'
import { isLocked, takeLock } from './advisory-lock.ts'
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
  constructor(memex: string, holder: string | null, wanted: string = memex) {
    const who = holder ?? 'another user, or one in a container'
    const why = 'two would do every job and every edit twice'
    const what = wanted === memex ? 'already' : `and ${wanted} overlaps it`
    super(`A daemon serves ${memex} ${what}, and ${why}: ${who}. Stop that one first.`)
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
      throw new MemexHeldError(
        memex,
        own === null ? null : (signatureAt(`${own}.who`)?.who ?? null),
      )
    }
    releases.push(taken)
  }
  if (own === null || folder === null) return release
  releases.push(sign(`${own}.who`, stateDir, memex))
  const other = nestedIn(folder, memex, own)
  if (other === null) return release
  release()
  throw new MemexHeldError(other.memex, other.who, memex)
}

/** The daemon that serves a folder in this one, or one that this one is in. */
function nestedIn(folder: string, memex: string, own: string): Signature | null {
  const real = realpathSync(memex)
  for (const name of readdirSync(folder)) {
    const lock = join(folder, name)
    if (!/^memex-\d+-\d+\.lock$/.test(name) || lock === own) continue
    const signed = signatureAt(`${lock}.who`)
    if (signed === null || !(within(signed.memex, real) || within(real, signed.memex))) continue
    if (isLocked(lock)) return signed
  }
  return null
}

function within(folder: string, other: string): boolean {
  const way = relative(folder, other)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
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

interface Signature {
  who: string
  /** The folder that is served, links resolved. */
  memex: string
}

function sign(path: string, stateDir: string, memex: string): () => void {
  try {
    const who = `process ${process.pid}, with its state in ${stateDir}`
    const signed: Signature = { who, memex: realpathSync(memex) }
    writeFileSync(path, JSON.stringify(signed), { mode: 0o600 })
  } catch {
    // The lock holds without it.
  }
  return () => rmSync(path, { force: true })
}

function signatureAt(path: string): Signature | null {
  try {
    const found: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const { memex, who } = found as Record<string, unknown>
    return typeof memex === 'string' && typeof who === 'string' ? { memex, who } : null
  } catch {
    return null
  }
}
