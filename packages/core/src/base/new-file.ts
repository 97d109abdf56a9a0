import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs'

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
