import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from './new-file.ts'

function writeForced(folder: string, name: string, text: string): void {
  replaceFile(join(folder, name), text)
  forceFolder(folder)
}

function forceFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function keyOf(folder: string): Buffer {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const path = join(folder, 'key')
  if (existsSync(path)) {
    const text = readFileSync(path, 'utf8').trim()
    const isClosed = (statSync(path).mode & 0o077) === 0
    if (isClosed && /^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex')
    rmSync(path)
  }
  const key = randomBytes(32)
  writeFileSync(path, `${key.toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  forceFolder(folder)
  return key
}

/** What a folder holds: the records whose seal is whole, and the names of the others. */
export interface SealedContents {
  open: { id: string; value: unknown }[]
  spent: { id: string; value: unknown }[]
  /** Names of records that were set aside because their seal is broken. */
  broken: string[]
}

/** A folder of records, closed to other users. Made with the first record. */
export class SealedFolder {
  readonly #folder: string
  #key: Buffer | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Keeps a value under 32 hex digits. Throws when the disk will not have it. */
  put(id: string, value: unknown): void {
    const json = JSON.stringify(value)
    this.#key ??= keyOf(this.#folder)
    writeForced(this.#folder, `${id}.open`, `${sealOf(this.#key, id, json)}\n${json}\n`)
  }

  /** Spends a record; true for one caller, once. Never throws. */
  spend(id: string): boolean {
    const spent = this.#path(id, 'spent')
    try {
      if (existsSync(spent)) return false
      renameSync(this.#path(id, 'open'), spent)
      forceFolder(this.#folder)
      return true
    } catch {
      return false
    }
  }

  /** Removes what is left of a spent record. Never throws. */
  bury(id: string): void {
    rmSync(this.#path(id, 'spent'), { force: true })
  }

  #path(id: string, kind: 'open' | 'spent' | 'broken'): string {
    return join(this.#folder, `${id}.${kind}`)
  }

  /** Reads the folder; sets aside what is not ours. Empty when there is none. */
  contents(): SealedContents {
    const contents: SealedContents = { open: [], spent: [], broken: [] }
    if (!existsSync(join(this.#folder, 'key'))) return contents
    this.#key ??= keyOf(this.#folder)
    for (const name of readdirSync(this.#folder).sort()) {
      const found = /^([0-9a-f]{32})\.(open|spent)$/.exec(name)
      if (found === null) continue
      const [, id = '', kind] = found
      const record = readSealed(this.#key, id, join(this.#folder, name))
      if (record === null) {
        renameSync(join(this.#folder, name), this.#path(id, 'broken'))
        contents.broken.push(id)
      } else contents[kind as 'open' | 'spent'].push({ id, ...record })
    }
    return contents
  }
}

const recordMaxBytes = 4_194_304

function sealOf(key: Buffer, id: string, json: string): string {
  return createHmac('sha256', key).update(`approval ${id}\n${json}`).digest('hex')
}

function readSealed(key: Buffer, id: string, path: string): { value: unknown } | null {
  try {
    if (statSync(path).size > recordMaxBytes) return null
    const text = readFileSync(path, 'utf8')
    const end = text.indexOf('\n')
    const json = text.slice(end + 1, -1)
    const given = Buffer.from(text.slice(0, end))
    const wanted = Buffer.from(sealOf(key, id, json))
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
    return { value: JSON.parse(json) }
  } catch {
    return null
  }
}
