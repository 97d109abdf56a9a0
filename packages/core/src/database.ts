import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type Archive, type Change, textHash, type Version, versionHash } from './history.ts'
import { PersistentMap } from './persistent-map.ts'
import type { FileEntry, MemoryObject, ObjectStore, Snapshot } from './store.ts'
import { hasPrivateTag } from './visible.ts'

const migrations = [
  `CREATE TABLE versions (hash TEXT PRIMARY KEY, facts TEXT NOT NULL, content TEXT NOT NULL);
   CREATE TABLE changes (id TEXT NOT NULL, at INTEGER NOT NULL, hash TEXT, author TEXT NOT NULL,
     signal TEXT, outside INTEGER NOT NULL, file TEXT NOT NULL);
   CREATE INDEX changes_of ON changes (id);
   CREATE TABLE shapes (digest TEXT PRIMARY KEY, outline TEXT NOT NULL);
   CREATE TABLE files (path TEXT PRIMARY KEY, stamp TEXT, hash TEXT NOT NULL, shape TEXT NOT NULL);
   CREATE TABLE snapshots (name TEXT PRIMARY KEY, at INTEGER NOT NULL);
   CREATE TABLE snapshot_files (name TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL,
     shape TEXT NOT NULL, PRIMARY KEY (name, path));`,
]

function migrate(db: DatabaseSync): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as {
    user_version: number
  }
  if (version > migrations.length) {
    throw new DatabaseError('newer', `The memory was written by a later version (${version})`)
  }
  for (const [at, sql] of migrations.entries()) {
    if (at < version) continue
    db.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${at + 1}; COMMIT`)
  }
}

/** Why a memory could not be opened. A damaged one is no reason: it is put aside. */
export class DatabaseError extends Error {
  readonly code: 'busy' | 'newer'

  constructor(code: DatabaseError['code'], message: string) {
    super(message)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** Opens the memory in a state directory for writing. Throws a DatabaseError. */
export function openDatabase(
  stateDir: string,
  log: (message: string) => void = () => {},
): MemoryDatabase {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  const lock = takeLock(join(stateDir, 'memory.lock'))
  const path = join(stateDir, 'memory.db')
  try {
    return new MemoryDatabase(openSound(path, log), lock)
  } catch (error) {
    lock.close()
    throw error
  }
}

/** Opens a memory to look into it, beside a daemon that writes; null when there is none. */
export function readDatabase(stateDir: string): MemoryDatabase | null {
  const path = join(stateDir, 'memory.db')
  return existsSync(path)
    ? new MemoryDatabase(new DatabaseSync(path, { readOnly: true }), null)
    : null
}

function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (!isDamage(error)) throw new DatabaseError('busy', 'Another process has the memory open')
    rmSync(path)
    return takeLock(path)
  }
}

function openSound(path: string, log: (message: string) => void): DatabaseSync {
  try {
    return openFile(path)
  } catch (error) {
    if (error instanceof DatabaseError || !isDamage(error)) throw error
    const aside = `${path}.damaged-${Date.now()}`
    for (const end of ['', '-wal', '-shm']) {
      if (existsSync(path + end)) renameSync(path + end, aside + end)
    }
    const db = openFile(path)
    log(`the memory was damaged; ${salvage(aside, db)} versions were saved from ${aside}`)
    return db
  }
}

function openFile(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000')
    migrate(db)
    db.prepare('SELECT count(path) FROM files').get()
    const [found] = db.prepare('PRAGMA quick_check(1)').all()
    if (found?.quick_check !== 'ok') throw Object.assign(new Error('damaged'), { errcode: 11 })
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** SQLite's codes for a file that is malformed or no database. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 255)
  )
}

function salvage(from: string, db: DatabaseSync): number {
  let count = 0
  try {
    const old = new DatabaseSync(from, { readOnly: true })
    const keep = statementsOf(db)
    for (const row of old.prepare('SELECT * FROM versions').iterate()) {
      const version = versionOf(row as unknown as VersionRow)
      const { hash, ...said } = version
      if (versionHash(said) === hash) count += Number(putVersion(keep.version, version))
    }
    for (const row of old.prepare('SELECT * FROM changes').iterate()) {
      keep.change.run(...(Object.values(row) as (string | number | null)[]))
    }
    old.close()
  } catch {
    // What could be read has been read.
  }
  return count
}

interface VersionRow {
  hash: string
  facts: string
  content: string
}

function versionOf({ hash, facts, content }: VersionRow): Version {
  return { ...JSON.parse(facts), hash, content }
}

function putVersion(statement: StatementSync, version: Version): boolean {
  const { hash, content, ...facts } = version
  return statement.run(hash, JSON.stringify(facts), content).changes === 1
}

function statementsOf(
  db: DatabaseSync,
): Record<'version' | 'change' | 'shape' | 'file', StatementSync> {
  return {
    version: db.prepare('INSERT OR IGNORE INTO versions VALUES (?, ?, ?)'),
    change: db.prepare('INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)'),
    shape: db.prepare('INSERT OR IGNORE INTO shapes VALUES (?, ?)'),
    file: db.prepare('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)'),
  }
}

/** Which version stands where in a file. */
type ShapeEntry = Pick<
  MemoryObject,
  'id' | 'hash' | 'parent' | 'version' | 'authorship' | 'line' | 'begin' | 'end' | 'private'
>

function shapeOf(entry: FileEntry): string {
  const outline = [...entry.objects.values()].map((object): ShapeEntry => {
    const { id, hash, parent, version, authorship, line, begin, end } = object
    return { id, hash, parent, version, authorship, line, begin, end, private: object.private }
  })
  return JSON.stringify(outline)
}

function putFile(
  db: DatabaseSync,
  path: string,
  entry: FileEntry | undefined,
  stamp: string | null,
): void {
  if (entry === undefined) {
    db.prepare('DELETE FROM files WHERE path = ?').run(path)
    return
  }
  const shape = shapeOf(entry)
  const digest = textHash(shape)
  const put = statementsOf(db)
  put.shape.run(digest, shape)
  put.file.run(path, stamp, entry.hash, digest)
}

function putHistory(db: DatabaseSync, { history }: ObjectStore): void {
  const put = statementsOf(db)
  for (const version of history.pending().versions) putVersion(put.version, version)
  for (const [id, list] of history.pending().changes) {
    for (const { at, hash, by, signal, outside, file } of list) {
      put.change.run(id, at, hash, by, signal, outside ? 1 : 0, file)
    }
  }
}

function transaction(db: DatabaseSync, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function restamped(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): string[] {
  return [...now.keys()].filter((path) => before.get(path) !== now.get(path))
}

class StoredFile implements FileEntry {
  readonly hash: string
  readonly #load: () => ReadonlyMap<string, MemoryObject>
  #objects: ReadonlyMap<string, MemoryObject> | null = null

  constructor(hash: string, load: () => ReadonlyMap<string, MemoryObject>) {
    this.hash = hash
    this.#load = load
  }

  get objects(): ReadonlyMap<string, MemoryObject> {
    this.#objects ??= this.#load()
    return this.#objects
  }
}

function objectsOf(
  archive: Archive,
  file: string,
  outline: readonly ShapeEntry[],
  privateTags?: readonly string[],
): Map<string, MemoryObject> {
  const closed = new Set<string>()
  const inside = new Map<string, string[]>(outline.map(({ id }) => [id, []]))
  for (const { id, parent } of outline) inside.get(parent ?? '')?.push(id)
  return new Map(
    outline.map((entry) => {
      const version = archive.version(entry.hash)
      if (version === null) throw new Error(`a version of ${file} is missing`)
      const isClosed = closed.has(entry.parent ?? '') || hasPrivateTag(version, privateTags)
      if (isClosed) closed.add(entry.id)
      const place = { children: inside.get(entry.id)!, vector: null, scope: 'memex' as const, file }
      return [entry.id, Object.freeze({ ...version, ...entry, ...place, private: isClosed })]
    }),
  )
}

/** The rows of files in one of the two tables that have them. */
function rowsOf(db: DatabaseSync, name: string | null): FileRow[] {
  const from = name === null ? 'files' : 'snapshot_files'
  const which = name === null ? '' : 'WHERE name = ?'
  const sql = `SELECT f.*, outline FROM ${from} f JOIN shapes ON digest = shape ${which}`
  const rows = name === null ? db.prepare(sql).all() : db.prepare(sql).all(name)
  return rows as unknown as FileRow[]
}

interface FileRow {
  path: string
  stamp?: string | null
  hash: string
  outline: string
}

function snapshotOf(
  archive: Archive,
  rows: readonly FileRow[],
  broken: (path: string) => void,
  privateTags?: readonly string[],
): Snapshot {
  let files = new PersistentMap<FileEntry>()
  let places = new PersistentMap<string>()
  for (const { path, hash, outline } of rows) {
    const shape: ShapeEntry[] = JSON.parse(outline)
    const load = () => {
      try {
        return objectsOf(archive, path, shape, privateTags)
      } catch {
        broken(path)
        return new Map<string, MemoryObject>()
      }
    }
    files = files.with(path, new StoredFile(hash, load))
    for (const { id } of shape) places = places.with(id, path)
  }
  return { files, places }
}

/** A memory on the disk, for one store. */
export class MemoryDatabase implements Archive {
  /** For the functions below. */
  readonly connection: DatabaseSync
  readonly #lock: DatabaseSync | null
  readonly #version: StatementSync
  readonly #changes: StatementSync
  #saved: PersistentMap<FileEntry> = new PersistentMap()
  #stamps = new Map<string, string>()

  constructor(db: DatabaseSync, lock: DatabaseSync | null) {
    this.connection = db
    this.#lock = lock
    this.#version = db.prepare('SELECT * FROM versions WHERE hash = ?')
    this.#changes = db.prepare('SELECT * FROM changes WHERE id = ? ORDER BY rowid')
  }

  /** Puts the store where the last commit left it; `stamps` learns what each file was then. */
  load(store: ObjectStore, stamps: Map<string, string> = new Map()): void {
    const rows = rowsOf(this.connection, null)
    for (const { path, stamp } of rows) stamps.set(path, stamp ?? '')
    const broken = (path: string) => stamps.delete(path)
    const snapshot = snapshotOf(this, rows, broken, store.privateTags)
    this.#saved = snapshot.files
    this.#stamps = new Map(stamps)
    store.history.attach(this)
    store.restore(snapshot)
  }

  /** Writes all that is new in the store. When it returns, it is on the disk. */
  commit(store: ObjectStore, stamps: ReadonlyMap<string, string> = new Map()): void {
    const { files } = store.snapshot()
    const changed = new Set([...this.#saved.changes(files), ...restamped(this.#stamps, stamps)])
    if (changed.size === 0 && store.history.isSettled()) return
    transaction(this.connection, () => {
      putHistory(this.connection, store)
      for (const path of changed)
        putFile(this.connection, path, files.get(path), stamps.get(path) ?? null)
    })
    this.#saved = files
    this.#stamps = new Map(stamps)
    store.history.attach(this)
    store.history.settle()
  }

  version(hash: string): Version | null {
    const row = this.#version.get(hash)
    return row === undefined ? null : versionOf(row as unknown as VersionRow)
  }

  changes(id: string): Change[] {
    return this.#changes.all(id).map(changeOf)
  }

  /** Gives the file and the lock back; doing so twice does nothing. */
  close(): void {
    if (this.connection.isOpen) this.connection.close()
    if (this.#lock?.isOpen) this.#lock.close()
  }
}

function changeOf({ hash, at, author, signal, outside, file }: Record<string, unknown>): Change {
  return { hash, at, by: author, signal, outside: outside === 1, file } as Change
}

/** Keeps what was committed last under a name, in place of another of that name. */
export function saveSnapshot({ connection: db }: MemoryDatabase, name: string, at: number): void {
  transaction(db, () => {
    dropRows(db, name)
    db.prepare('INSERT INTO snapshots VALUES (?, ?)').run(name, at)
    const copy = 'INSERT INTO snapshot_files SELECT ?, path, hash, shape FROM files'
    db.prepare(copy).run(name)
  })
}

/** The moment of this name, or null when there is none. */
export function savedSnapshot(database: MemoryDatabase, name: string): Snapshot | null {
  const known = savedSnapshots(database).some((saved) => saved.name === name)
  return known ? snapshotOf(database, rowsOf(database.connection, name), () => {}) : null
}

/** The names and times, in milliseconds, of all that are kept, oldest first. */
export function savedSnapshots({ connection: db }: MemoryDatabase): { name: string; at: number }[] {
  const rows = db.prepare('SELECT name, at FROM snapshots ORDER BY at, name').all()
  return rows.map(({ name, at }) => ({ name: String(name), at: Number(at) }))
}

/** Removes a snapshot; false when there is none. */
export function dropSnapshot({ connection: db }: MemoryDatabase, name: string): boolean {
  let had = false
  transaction(db, () => {
    had = dropRows(db, name)
  })
  return had
}

function dropRows(db: DatabaseSync, name: string): boolean {
  db.prepare('DELETE FROM snapshot_files WHERE name = ?').run(name)
  return db.prepare('DELETE FROM snapshots WHERE name = ?').run(name).changes === 1
}

/** What is kept of a note's changes whatever the rest of the policy says, and for how long the others. */
export const gcDefaults: { changes: number; days: number } = { changes: 50, days: 400 }

/** Removes what the policy lets go before `now`, in milliseconds; returns how many versions went. */
export function gc(
  { connection: db }: MemoryDatabase,
  now: number,
  keep: typeof gcDefaults = gcDefaults,
): number {
  let count = 0
  transaction(db, () => {
    const before = now - keep.days * 86_400_000
    db.prepare(`DELETE FROM changes WHERE rowid IN (SELECT row FROM (SELECT rowid AS row, at,
      row_number() OVER (PARTITION BY id ORDER BY rowid DESC) AS number FROM changes)
      WHERE number > ? AND at < ?)`).run(keep.changes, before)
    const gone = db.prepare(`DELETE FROM versions WHERE hash NOT IN (
      WITH RECURSIVE live (hash) AS (
        SELECT hash FROM files UNION SELECT hash FROM snapshot_files
        UNION SELECT hash FROM changes WHERE hash IS NOT NULL
        UNION SELECT child.value FROM live JOIN versions USING (hash),
          json_each(versions.facts, '$.children') AS child)
      SELECT hash FROM live)`)
    count = Number(gone.run().changes)
    db.exec(`DELETE FROM shapes WHERE digest NOT IN
      (SELECT shape FROM files UNION SELECT shape FROM snapshot_files)`)
  })
  db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
  return count
}
