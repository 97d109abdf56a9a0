import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lockHolder, writeNewFile } from '@passepartout/core'

/** The longest file that is read, in bytes. */
export const fileBytesMax = 2_000_000

/** The text of a file; null when there is none. Throws a RangeError that says why it is no text. */
export function readText(file: string, shown: string): string | null {
  const bytes = readPlain(file, shown)
  if (bytes === null) return null
  if (bytes.includes(0)) throw new RangeError(`${shown} is binary`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new RangeError(`${shown} is not UTF-8 text`)
  }
}

function readPlain(file: string, shown: string): Buffer | null {
  const handle = opened(file, shown)
  if (handle === null) return null
  try {
    const stat = fstatSync(handle)
    if (stat.isDirectory())
      throw new RangeError(`${shown} is a folder; read-file shows what is in it`)
    if (!stat.isFile()) throw new RangeError(`${shown} is no ordinary file`)
    if (stat.size > fileBytesMax) {
      const advice = 'search-files finds lines in it'
      throw new RangeError(`${shown} has ${stat.size} bytes, more than ${fileBytesMax}; ${advice}`)
    }
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

function opened(file: string, shown: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new RangeError(`${shown} cannot be read (${code})`)
  }
}

/**
 * Writes a file that was `before`, null for a new one, with the folders it needs.
 * Throws a RangeError when it is another text by now, or cannot be written; nothing is changed then.
 */
export function writeText(
  { file, shown }: { file: string; shown: string },
  before: string | null,
  after: string,
): void {
  const holder = lockHolder(file)
  if (holder !== null) {
    throw new RangeError(`${shown} has unsaved changes by ${holder.user}; save them and ask again`)
  }
  const parent = dirname(file)
  const temporary = join(parent, `.${basename(file)}.${randomUUID().slice(0, 8)}.tmp`)
  try {
    mkdirSync(parent, { recursive: true })
    if (realpathSync(parent) !== parent) throw new RangeError(`${shown} leads elsewhere now`)
    const mode = before === null ? 0o644 : statSync(file).mode & 0o777
    writeNewFile(temporary, after, mode)
    if (readText(file, shown) !== before) {
      throw new RangeError(`${shown} was changed in the meantime; read it again`)
    }
    if (before === null) linkSync(temporary, file)
    else renameSync(temporary, file)
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new RangeError(`${shown} was not written: ${(error as Error).message}`)
  } finally {
    rmSync(temporary, { force: true })
  }
}
