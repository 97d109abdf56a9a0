import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { takeLock } from '../base/advisory-lock.ts'
import { commandName } from '../base/command-name.ts'
import { findInstance } from '../base/daemon-lock.ts'
import { PersistentMap } from '../base/persistent-map.ts'
import { SqliteFile, type SqliteOptions } from '../base/sqlite.ts'
import type { Row } from '../base/sqlite-access.ts'
import { DatabaseError, damage, type Statement } from '../base/sqlite-access.ts'
import { type FileRows, loadRows, openRows, putRows, rowsAt, stampRows } from './file-rows.ts'
import type { Archive, Change, History, Version } from './history.ts'
import { salvage } from './recovery.ts'
import type { PendingMoment } from './snapshot-store.ts'
import type { ObjectStore, Snapshot } from './store.ts'
import { isOld, migrate } from './tables.ts'
import { mustFitNames, Packs } from './version-packs.ts'
import { holdingOf, readWitness, shortfall, writeWitness } from './witness.ts'

/** Opens the memory in a state directory for writing; `told` gets a sentence when it had to be mended. Throws a DatabaseError. */
export function openDatabase(
  stateDir: string,
  told: (sentence: string) => void = () => {},
): MemoryDatabase {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const release = takeLock(join(stateDir, 'memory.lock'))
  if (release === null) throw busy(stateDir)
  const path = join(stateDir, 'memory.db')
  const isFirst = isNew(stateDir)
  const attest = (db: SqliteFile, lost = readWitness(stateDir)?.lost ?? null) => {
    try {
      writeWitness(stateDir, { ...holdingOf(db), lost })
    } catch {
      // The memory works without, and the next commit attests again.
    }
  }
  const save: SqliteOptions['save'] = (damaged, file) => {
    const { said, isWhole } = salvage(damaged, file, readWitness(stateDir))
    attest(file, isWhole ? undefined : `of a damaged memory ${said}`)
    return said
  }
  const more = { complete: (db: DatabaseSync) => mustHold(db, stateDir), sound: mustFitNames }
  const options = { path, name: 'the memory', isLocked: true, ready, save, told, ...more }
  try {
    const file = new SqliteFile(options)
    attest(file)
    return new MemoryDatabase(file, { release, attest, isFirst })
  } catch (error) {
    release()
    throw error
  }
}

/** Opens a memory to look into it, beside a daemon that writes; null when there is none. Throws a DatabaseError. */
export function readDatabase(stateDir: string): MemoryDatabase | null {
  const path = join(stateDir, 'memory.db')
  mustNotBeGone(path, stateDir)
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

function mustHold(db: DatabaseSync, stateDir: string): void {
  const witness = readWitness(stateDir)
  const missing = witness === null ? null : shortfall(witness, holdingOf(db))
  if (missing !== null) throw damage(`${missing} are not in it`)
}

function isNew(stateDir: string): boolean {
  const size = statSync(join(stateDir, 'memory.db'), { throwIfNoEntry: false })?.size ?? 0
  return (readWitness(stateDir)?.commits ?? size) === 0
}

function mustNotBeGone(path: string, stateDir: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const witness = size === 0 ? readWitness(stateDir) : null
  const missing = witness === null ? null : shortfall(witness, { commits: 0, snapshots: [] })
  if (missing === null) return
  const text = `The memory in ${path} is gone, and with it ${missing}.`
  const way = `A daemon begins it anew from the notes; ${commandName} restore FILE brings a backup back.`
  throw new DatabaseError('damaged', `${text} ${way}`)
}

/** What is wrong with the memory on the disk; null when nothing is. Reads all of it. Throws a DatabaseError when it cannot be read. */
export function memoryFault(stateDir: string): string | null {
  const path = join(stateDir, 'memory.db')
  try {
    mustNotBeGone(path, stateDir)
    if (!existsSync(path)) return null
    const open = { path, name: 'the memory', readOnly: true, ready: () => {} }
    const file = new SqliteFile({
      ...open,
      sound: mustFitNames,
      complete: (db) => mustHold(db, stateDir),
    })
    try {
      file.check()
    } finally {
      file.close()
    }
    return null
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== 'damaged') throw error
    return error.cause instanceof Error ? error.cause.message : error.message
  }
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

/** What the writer of a memory has of it. */
interface Keeper {
  /** Whether there was no memory before this one. */
  isFirst: boolean
  /** Gives the lock back. */
  release(): void
  /** Has the witness say what is held now. Never throws. */
  attest(db: SqliteFile): void
}

/** A memory on the disk, for one store. */
export class MemoryDatabase {
  /** For those who look into the tables. */
  readonly connection: SqliteFile
  readonly keeper: Keeper | null
  readonly files: FileRows
  readonly packs: Packs
  /** Kept with the last commit, if another one changes something after it. */
  moment: PendingMoment | null = null
  readonly #history: StoredHistory
  #saved: Snapshot | null = null
  #stamps = new Map<string, string>()
  #losses = 0

  /** Without a keeper it is only looked into. */
  constructor(db: SqliteFile, keeper: Keeper | null) {
    this.connection = db
    this.keeper = keeper
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
    this.keeper?.attest(this.connection)
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
    if (this.keeper !== null) markClosed(this.connection)
    this.connection.close()
    this.keeper?.release()
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
