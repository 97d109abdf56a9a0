import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** A folder that is not its user's; the message says which and what to do. */
export class FolderError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FolderError'
  }
}

/** What became of a folder: sentences for its owner, and whether others could have written there. */
interface FolderReport {
  said: string[]
  wasOpen: boolean
}

/** Makes a folder that is its user's alone, or mends the mode of one. Throws a FolderError for one that is somebody else's. */
export function keepPrivate(path: string, kind: 'secret' | 'trusted'): FolderReport {
  if (kind === 'secret') mkdirSync(path, { recursive: true, mode: 0o700 })
  const user = process.getuid?.()
  const found = statSync(path, { throwIfNoEntry: false })
  if (user === undefined || found === undefined) return { said: [], wasOpen: false }
  const folder = realpathSync(path)
  mustBeOwn(path, folder, user)
  const wasOpen = isOpen(found)
  const extra = found.mode & (kind === 'secret' ? 0o077 : 0o022)
  if ((kind === 'secret' && extra !== 0) || wasOpen) chmodSync(folder, found.mode & 0o7777 & ~extra)
  const mode = (found.mode & 0o777).toString(8)
  const mended = `Others could write in ${path} (mode ${mode}); now only you can.`
  const above = openAbove(folder)
  const warned =
    above === null ? [] : [`Everybody may write ${above}, in which ${path} is: chmod o-w ${above}`]
  return { said: [...(wasOpen ? [mended] : []), ...warned], wasOpen }
}

/** Whether others may write. */
export function isOpen({ gid, mode, uid }: { gid: number; mode: number; uid: number }): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid)
}

function mustBeOwn(path: string, folder: string, user: number): void {
  const isOwn = (file: string) => [0, user].includes(lstatSync(file).uid)
  const others = [path, folder, ...readdirSync(folder).map((name) => join(folder, name))]
  const foreign = others.find((file) => !isOwn(file))
  if (foreign === undefined) return
  const { uid } = lstatSync(foreign)
  throw new FolderError(
    `${foreign} belongs to user ${uid}, and this is user ${user}. Nothing in ${path} is used until that file is gone or yours; or run it as that user.`,
  )
}

/** The first folder above that everybody may write and rename in; null when there is none. */
function openAbove(folder: string): string | null {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    const { mode } = statSync(above)
    if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0) return above
  }
  return null
}

/** Keeps the state directory private. Throws a FolderError. */
export function keepState(stateDir: string): FolderReport {
  const report = keepPrivate(stateDir, 'secret')
  if (report.wasOpen) rmSync(join(stateDir, 'token'), { force: true })
  return report
}
