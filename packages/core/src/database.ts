import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { findDaemon } from './announcement.ts'
import { type FileRows, loadRows, openRows, putRows, rowsAt, stampRows } from './file-rows.ts'
import type { Archive, Change, History, Version } from './history.ts'
import { keepToOwner } from './instance.ts'
import { DatabaseError, isOld, migrate, transaction } from './memory-tables.ts'
import { Packs } from './packs.ts'
import { PersistentMap } from './persistent-map.ts'
import { salvage } from './salvage.ts'
import type { PendingMoment } from './saved-moments.ts'
import type { ObjectStore, Snapshot } from './store.ts'

/** Opens the memory in a state directory for writing. Throws a DatabaseError. */
export function openDatabase(
  stateDir: string,
  log: (message: string) => void = () => {},
): MemoryDatabase {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const lock = takeLock(stateDir)
  try {
    return openSound(join(stateDir, 'memory.db'), lock, log)
  } catch (error) {
    lock.close()
    throw error
  }
}

/** Opens a memory to look into it, beside a daemon that writes; null when there is none. */
export function readDatabase(stateDir: string): MemoryDatabase | null {
  const path = join(stateDir, 'memory.db')
  if (!existsSync(path)) return null
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    if (!isOld(db)) return new MemoryDatabase(db, null)
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  openDatabase(stateDir).close()
  return new MemoryDatabase(new DatabaseSync(path, { readOnly: true }), null)
}

function takeLock(stateDir: string): DatabaseSync {
  const path = join(stateDir, 'memory.lock')
  keepToOwner(path)
  const lock = new DatabaseSync(path)
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (isDamage(error)) {
      rmSync(path)
      return takeLock(stateDir)
    }
    const daemon = findDaemon(stateDir)
    const who = daemon === null ? 'Another process' : `The daemon (process ${daemon.pid})`
    throw new DatabaseError(
      'busy',
      `${who} has the memory in ${stateDir} open; only one may write it. End that one, or ask it.`,
    )
  }
}

function openSound(
  path: string,
  lock: DatabaseSync,
  log: (message: string) => void,
): MemoryDatabase {
  try {
    return openFile(path, lock)
  } catch (error) {
    if (error instanceof DatabaseError || !isDamage(error)) throw error
    const aside = `${path}.damaged-${Date.now()}`
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(path + end)) renameSync(path + end, aside + end)
    }
    const database = openFile(path, lock)
    log(`the memory was damaged; ${salvage(aside, database)} versions were saved from ${aside}`)
    return database
  }
}

function openFile(path: string, lock: DatabaseSync): MemoryDatabase {
  keepToOwner(path)
  const db = new DatabaseSync(path)
  try {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;
      PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = 33554432`)
    migrate(db)
    const { value: closed } = db.prepare("SELECT value FROM state WHERE name = 'closed'").get() ?? {
      value: 1,
    }
    const found = closed === 1 ? null : db.prepare('PRAGMA quick_check(1)').get()
    if (found !== null && found?.quick_check !== 'ok') throw damage('damaged')
    db.prepare('SELECT sum(length(path) + length(stamp)) FROM files').get()
    db.exec("INSERT OR REPLACE INTO state VALUES ('closed', 0)")
    return new MemoryDatabase(db, lock)
  } catch (error) {
    db.close()
    throw error
  }
}

function damage(message: string): Error {
  return Object.assign(new Error(message), { errcode: 11 })
}

/** SQLite's codes for a file that is malformed or no database. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 255)
  )
}

class StoredHistory implements Archive {
  readonly packs: Packs
  readonly #changes: StatementSync
  readonly #put: StatementSync
  readonly #marked: StatementSync
  readonly #newcomers: Set<string> | null

  constructor(db: DatabaseSync) {
    this.packs = new Packs(db)
    this.#changes = db.prepare('SELECT * FROM changes WHERE id = ? ORDER BY rowid')
    this.#put = db.prepare('INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)')
    const marked = 'SELECT DISTINCT hash FROM changes WHERE outside = 1 AND hash IS NOT NULL'
    this.#marked = db.prepare(marked)
    const hasPast = db.prepare('SELECT 1 FROM changes LIMIT 1').get() !== undefined
    this.#newcomers = hasPast ? null : new Set()
  }

  version(hash: string): Version | null {
    return this.packs.version(hash)
  }

  fromOutside(): Version[] {
    const hashes = this.#marked.all().map(({ hash }) => String(hash))
    return hashes.flatMap((hash) => this.version(hash) ?? [])
  }

  changes(id: string): Change[] {
    if (this.#newcomers !== null && !this.#newcomers.has(id)) return []
    return this.#changes.all(id).map(changeOf)
  }

  /** For within a transaction. */
  put({ versions, changes }: ReturnType<History['pending']>): void {
    this.packs.put(versions)
    for (const [id, list] of changes) {
      this.#newcomers?.add(id)
      for (const { at, hash, by, signal, outside, file } of list) {
        this.#put.run(id, at, hash, by, signal, outside ? 1 : 0, file)
      }
    }
  }
}

function changeOf(row: Record<string, SQLOutputValue>): Change {
  const { hash, at, author, signal, outside, file } = row
  return { hash, at, by: author, signal, outside: outside === 1, file } as Change
}

/** A memory on the disk, for one store. */
export class MemoryDatabase {
  /** For those who look into the tables. */
  readonly connection: DatabaseSync
  readonly files: FileRows
  readonly packs: Packs
  readonly #history: StoredHistory
  readonly #lock: DatabaseSync | null
  #saved: Snapshot | null = null
  #stamps = new Map<string, string>()
  #moment: PendingMoment | null = null
  #isWhole = true

  constructor(db: DatabaseSync, lock: DatabaseSync | null) {
    this.connection = db
    this.#lock = lock
    this.#history = new StoredHistory(db)
    this.packs = this.#history.packs
    this.files = openRows(db, this.#history)
  }

  /** Puts the store where the last commit left it; `stamps` learns what each file was then. */
  load(store: ObjectStore, stamps: Map<string, string> = new Map()): void {
    this.#saved = loadRows(this.files, stamps, store.privateTags)
    this.#stamps = new Map(stamps)
    store.history.attach(this.#history)
    store.restore(this.#saved)
  }

  /** Writes all that is new in the store. When it returns, it is on the disk. */
  commit(store: ObjectStore, stamps: ReadonlyMap<string, string> = new Map()): void {
    const { history } = store
    const now = store.snapshot()
    const saved = this.#saved ?? nothing
    const changed = saved.files.changes(now.files)
    const touched = restamped(this.#stamps, stamps)
    if (changed.length + touched.length === 0 && history.isSettled()) return
    this.#isWhole = false
    transaction(this.connection, () => {
      this.#history.put(history.pending())
      if (changed.length > 0) putRows(this.files, changed, saved, now, this.#moment)
      stampRows(this.files, [...touched, ...changed], stamps)
    })
    this.#isWhole = true
    if (changed.length > 0) this.#moment = null
    this.#saved = now
    this.#stamps = new Map(stamps)
    history.attach(this.#history)
    history.settle()
  }

  /** What the files were after the commit of this number. Throws an Error before `load`. */
  at(seq: number): Snapshot {
    if (this.#saved === null) throw new Error('Expected a memory that was loaded')
    return rowsAt(this.files, seq, this.#saved)
  }

  /** Keeps the last commit as a moment, if another one changes something after it. */
  keepMoment(moment: PendingMoment): void {
    this.#moment = moment
  }

  /** Gives the file and the lock back; doing so twice does nothing. */
  close(): void {
    const isWriter = this.connection.isOpen && this.#lock !== null
    if (isWriter && this.#isWhole) markClosed(this.connection)
    if (this.connection.isOpen) this.connection.close()
    if (this.#lock?.isOpen) this.#lock.close()
  }
}

const nothing: Snapshot = { files: new PersistentMap(), places: new PersistentMap() }

function restamped(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): string[] {
  return [...now.keys()].filter((path) => before.get(path) !== now.get(path))
}

function markClosed(db: DatabaseSync): void {
  try {
    db.exec("INSERT OR REPLACE INTO state VALUES ('closed', 1)")
  } catch {
    // It stays marked as open.
  }
}
