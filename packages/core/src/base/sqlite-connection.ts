import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { keepToOwner } from './advisory-lock.ts'
import { faultOf } from './sqlite-access.ts'
import { ends } from './sqlite-rescue.ts'

/** How a file is opened. */
export interface ConnectionOptions {
  path: string
  /** Whether a lock keeps other writers away. */
  isLocked?: boolean
  /** Whether it is only looked into; nothing is made or mended then. */
  readOnly?: boolean
  /** Settings, tables and checks. Throws what says that it cannot be used. */
  ready: (db: DatabaseSync) => void
  /** Throws the error of damage when rows are missing that must be there; not asked of a file that was just made. */
  complete?: (db: DatabaseSync) => void
}

/** What lies at the path now, as far as it is ours. */
interface Found {
  /** Of the database and of its log; empty for nothing. */
  inodes: string[]
  logBytes: number
}

function foundAt(path: string): Found {
  const [file, log] = ends.slice(0, 2).map((end) => statSync(path + end, { throwIfNoEntry: false }))
  const inodes = [file, log].map((each) => (each === undefined ? '' : `${each.dev}:${each.ino}`))
  if (file?.size === 0) inodes[0] += ' empty'
  return { inodes, logBytes: log?.size ?? 0 }
}

function keepLog(path: string): void {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (log !== undefined && log.size > 0) copyFileSync(`${path}-wal`, keptLog(path))
}

/** Where the log of a writer that was killed is kept until the database was found whole. */
export function keptLog(path: string): string {
  return `${path}-wal.kept`
}

/** The address of a database; of one beside which nothing may be written, as a file that nobody changes. */
export function addressOf(path: string, readOnly: boolean): string | URL {
  if (!readOnly || (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return path
  try {
    accessSync(dirname(path), constants.W_OK)
    return path
  } catch {
    const address = pathToFileURL(path)
    address.searchParams.set('immutable', '1')
    return address
  }
}

/** The index of a log, by the file that holds it. */
interface LogIndex {
  inode: number
  size: number
}

function indexAt(path: string): LogIndex | null {
  const found = statSync(`${path}-shm`, { throwIfNoEntry: false })
  return found === undefined ? null : { inode: found.ino, size: found.size }
}

function withZeros(path: string, { inode, size }: LogIndex, close: () => void): void {
  const isOurs = statSync(path, { throwIfNoEntry: false })?.ino === inode
  const file = isOurs ? openSync(path, 'r+') : null
  try {
    if (file !== null) writeSync(file, Buffer.alloc(size), 0, size, 0)
    close()
  } finally {
    if (file !== null) closeSync(file)
  }
}

/** What lies at the path of an open file, and what became of it. */
class PathWatch {
  readonly #options: ConnectionOptions
  #found: Found = { inodes: [], logBytes: 0 }
  #index: LogIndex | null = null

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** What lies there now is what belongs there. */
  begin(): void {
    const { path, readOnly } = this.#options
    this.#found = foundAt(path)
    this.#index = readOnly ? null : indexAt(path)
  }

  /** To be said after a write, for SQLite cuts its log off as well. */
  wrote(): void {
    const log = statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false })
    this.#found.logBytes = log?.size ?? 0
  }

  /** Whether another file is at the path, or none, or less of one. */
  isMoved(): boolean {
    const { inodes } = this.#found
    const now = foundAt(this.#options.path)
    const isSame = inodes.every((inode, at) => inode === '' || inode === now.inodes[at])
    if (!isSame || this.isCut(now)) return true
    this.#found = now
    return false
  }

  /** Whether the file was emptied, or its log is shorter than the last write left it. */
  isCut({ inodes, logBytes }: Found = foundAt(this.#options.path)): boolean {
    const { inodes: before, logBytes: bytes } = this.#found
    const isOurs = this.#options.isLocked === true && inodes[1] !== '' && inodes[1] === before[1]
    return (isOurs && logBytes < bytes) || inodes[0]!.endsWith('empty')
  }

  /** The index of the log as it was, when it alone is cut off, deleted or another file; null otherwise. */
  lostIndex(): LogIndex | null {
    const before = this.#index
    if (before === null) return null
    const now = indexAt(this.#options.path)
    const isSame = now?.inode === before.inode
    if (isSame ? now.size < before.size : !this.isMoved()) return before
    if (isSame) this.#index = now
    return null
  }
}

/** A connection to a file. */
export class OpenFile<Options extends ConnectionOptions> {
  readonly options: Options
  readonly watch: PathWatch
  /** Grows whenever the connection is another one. */
  generation = 0
  #db: DatabaseSync | null = null
  #isClosed = false

  constructor(options: Options) {
    this.options = options
    this.watch = new PathWatch(options)
  }

  /** The connection, opened anew when there is none. */
  get connection(): DatabaseSync {
    if (this.#db?.isOpen !== true && !this.#isClosed) this.open()
    if (this.#db === null) throw new Error('Expected a database that is open')
    return this.#db
  }

  get isOpen(): boolean {
    return this.#db?.isOpen ?? false
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  open(isNew = false): void {
    const { path, readOnly = false, isLocked = false, ready, complete } = this.options
    this.letGo()
    if (!readOnly) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      keepToOwner(path)
    }
    if (isLocked) keepLog(path)
    const db = new DatabaseSync(addressOf(path, readOnly), { readOnly })
    try {
      ready(db)
      if (!isNew) complete?.(db)
    } catch (error) {
      db.close()
      if (faultOf(error) !== 'damage') rmSync(keptLog(path), { force: true })
      throw error
    }
    if (isLocked) rmSync(keptLog(path), { force: true })
    this.#db = db
    this.watch.begin()
    this.generation++
  }

  letGo(): void {
    if (!this.#db?.isOpen) return
    const close = () => this.#db?.close()
    const lost = this.watch.lostIndex()
    if (lost === null) close()
    else withZeros(`${this.options.path}-shm`, lost, close)
  }

  close(): void {
    this.#isClosed = true
    this.letGo()
  }
}
