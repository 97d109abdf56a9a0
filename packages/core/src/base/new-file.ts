import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Makes a file, writes all of it and forces it to the disk. Throws when the name is taken, by a link
 * too, and when it could not be written to its end; a part of it may be there then.
 */
export function writeNewFile(file: string, data: string | Uint8Array, mode = 0o600): void {
  const handle = openSync(file, 'wx', mode)
  try {
    writeFileSync(handle, data)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Writes a file in one step, and the folders it stands in: whoever reads it has all of the old text
 * or all of the new. A link is replaced and not followed. Throws what the system throws, and the
 * old file is there then.
 */
export function replaceFile(file: string, data: string | Uint8Array, mode = 0o600): void {
  const folder = dirname(file)
  const beside = join(folder, `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    writeNewFile(beside, data, mode)
    renameSync(beside, file)
  } finally {
    rmSync(beside, { force: true })
  }
}
