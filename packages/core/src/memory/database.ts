import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { takeLock } from '../base/advisory-lock.ts'
import { findInstance } from '../base/daemon-lock.ts'
import { PersistentMap } from '../base/persistent-map.ts'
import { DatabaseError, damage, type Row, SqliteFile, type Statement } from '../base/sqlite.ts'
import { type FileRows, loadRows, openRows, putRows, rowsAt, stampRows } from './file-rows.ts'
import type { Archive, Change, History, Version } from './history.ts'
import { salvage } from './recovery.ts'
import type { PendingMoment } from './snapshot-store.ts'
import type { ObjectStore, Snapshot } from './store.ts'
import { isOld, migrate } from './tables.ts'
import { Packs } from './version-packs.ts'

/** Opens the memory in a state directory for writing; `told` gets a sentence when it had to be mended. Throws a DatabaseError. */
export function openDatabase(
  stateDir: string,
  told: (sentence: string) => void = () => {},
): MemoryDatabase {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const release = takeLock(join(stateDir, 'memory.lock'))
  if (release === null) throw busy(stateDir)
  const path = join(stateDir, 'memory.db')
  const options = { path, name: 'the memory', isLocked: true, ready, save: salvage, told }
  try {
    return new MemoryDatabase(new SqliteFile(options), release)
  } catch (error) {
    release()
    throw error
  }
}

/** Opens a memory to look into it, beside a daemon that writes; null when there is none. Throws a DatabaseError. */
export function readDatabase(stateDir: string): MemoryDatabase | null {
  const path = join(stateDir, 'memory.db')
  if (!existsSync(path)) return null
  let wasOld = false
  const look = (db: DatabaseSync) => {
    wasOld = isOld(db)
  }
  const options = { path, name: 'the memory', readOnly: true }
  const file = new SqliteFile({ ...options, ready: look })
  if (!wasOld) return new MemoryDatabase(file, null)
  file.close()
  openDatabase(stateDir).close()
  return new MemoryDatabase(new SqliteFile({ ...options, ready: look }), null)
}

function busy(stateDir: string): DatabaseError {
  const daemon = findInstance(stateDir)
  const who = daemon === null ? 'Another process' : `The daemon (process ${daemon.pid})`
  const what = `has the memory in ${stateDir} open; only one may write it`
  return new DatabaseError('busy', `${who} ${what}. End that one, or ask it.`)
}

function ready(db: DatabaseSync): void {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;
    PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 33554432`)
  migrate(db)
  const closed = db.prepare("SELECT value FROM state WHERE name = 'closed'").get()?.value ?? 1
  const found = closed === 1 ? null : db.prepare('PRAGMA quick_check(1)').get()
  if (found !== null && found?.quick_check !== 'ok') throw damage(String(found?.quick_check))
  db.prepare('SELECT sum(length(path) + length(stamp)) FROM files').get()
  db.exec("INSERT OR REPLACE INTO state VALUES ('closed', 0)")
}

class StoredHistory implements Archive {
  readonly packs: Packs
  readonly #changes: Statement
  readonly #put: Statement
  readonly #marked: Statement
  readonly #newcomers: Set<string> | null

  constructor(db: SqliteFile) {
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

function changeOf(row: Row): Change {
  const { hash, at, author, signal, outside, file } = row
  return { hash, at, by: author, signal, outside: outside === 1, file } as Change
}

/** A memory on the disk, for one store. */
export class MemoryDatabase {
  /** For those who look into the tables. */
  readonly connection: SqliteFile
  readonly files: FileRows
  readonly packs: Packs
  /** Kept with the last commit, if another one changes something after it. */
  moment: PendingMoment | null = null
  readonly #history: StoredHistory
  readonly #release: (() => void) | null
  #saved: Snapshot | null = null
  #stamps = new Map<string, string>()
  #losses = 0

  /** Without a release of a lock it is only looked into. */
  constructor(db: SqliteFile, release: (() => void) | null) {
    this.connection = db
    this.#release = release
    this.#history = new StoredHistory(db)
    this.packs = this.#history.packs
    this.files = openRows(db, this.#history)
  }

  /** Puts the store where the last commit left it; `stamps` learns what each file was then. */
  load(store: ObjectStore, stamps: Map<string, string> = new Map()): void {
    this.#saved = loadRows(this.files, stamps, store.privateTags)
    this.#losses = this.connection.losses
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
    this.connection.transaction(() => {
      this.#history.put(history.pending())
      if (changed.length > 0) putRows(this.files, changed, saved, now, this.moment)
      stampRows(this.files, [...touched, ...changed], stamps)
    })
    if (changed.length > 0) this.moment = null
    this.#saved = now
    this.#stamps = new Map(stamps)
    history.attach(this.#history)
    history.settle()
  }

  /** Whether rows were lost since it was loaded, so that it has to be loaded again. */
  get isRenewed(): boolean {
    return this.connection.losses !== this.#losses
  }

  /** What the files were after the commit of this number; for a memory that was loaded. */
  at(seq: number): Snapshot {
    return rowsAt(this.files, seq, this.#saved ?? nothing)
  }

  /** Gives the file and the lock back; doing so twice does nothing. */
  close(): void {
    if (this.#release !== null) markClosed(this.connection)
    this.connection.close()
    this.#release?.()
  }
}

const nothing: Snapshot = { files: new PersistentMap(), places: new PersistentMap() }

function restamped(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): string[] {
  return [...now.keys()].filter((path) => before.get(path) !== now.get(path))
}

function markClosed(db: SqliteFile): void {
  try {
    db.exec("INSERT OR REPLACE INTO state VALUES ('closed', 1)")
  } catch {
    // It stays marked as open.
  }
}
