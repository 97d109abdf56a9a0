import type { DatabaseSync } from 'node:sqlite'
import { DatabaseError, transaction } from '../base/sqlite-access.ts'
import type { Version } from './history.ts'
import { Packs } from './version-packs.ts'

function first(db: DatabaseSync): void {
  db.exec(`CREATE TABLE versions (hash TEXT PRIMARY KEY, facts TEXT NOT NULL, content TEXT NOT NULL);
    CREATE TABLE changes (id TEXT NOT NULL, at INTEGER NOT NULL, hash TEXT, author TEXT NOT NULL,
      signal TEXT, outside INTEGER NOT NULL, file TEXT NOT NULL);
    CREATE INDEX changes_of ON changes (id);
    CREATE TABLE shapes (digest TEXT PRIMARY KEY, outline TEXT NOT NULL);
    CREATE TABLE files (path TEXT PRIMARY KEY, stamp TEXT, hash TEXT NOT NULL, shape TEXT NOT NULL);
    CREATE TABLE snapshots (name TEXT PRIMARY KEY, at INTEGER NOT NULL);
    CREATE TABLE snapshot_files (name TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL,
      shape TEXT NOT NULL, PRIMARY KEY (name, path));`)
}

function second(db: DatabaseSync): void {
  for (const table of ['versions', 'shapes', 'files', 'snapshots', 'snapshot_files']) {
    db.exec(`ALTER TABLE ${table} RENAME TO old_${table}`)
  }
  db.exec(`CREATE TABLE packs (id INTEGER PRIMARY KEY, versions TEXT NOT NULL);
    CREATE TABLE version_packs (hash BLOB PRIMARY KEY, pack INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE shapes (id INTEGER PRIMARY KEY, ids TEXT NOT NULL, outline TEXT NOT NULL);
    CREATE TABLE files (path TEXT PRIMARY KEY, stamp TEXT, hash TEXT NOT NULL,
      shape INTEGER NOT NULL, since INTEGER NOT NULL);
    CREATE INDEX files_since ON files (since);
    CREATE TABLE past (path TEXT NOT NULL, hash TEXT NOT NULL, shape INTEGER NOT NULL,
      since INTEGER NOT NULL, until INTEGER NOT NULL);
    CREATE INDEX past_until ON past (until);
    CREATE TABLE snapshots (id INTEGER PRIMARY KEY, name TEXT UNIQUE, at INTEGER NOT NULL,
      seq INTEGER NOT NULL, entry TEXT, undo TEXT);
    CREATE TABLE state (name TEXT PRIMARY KEY, value);`)
  repack(db)
  reshape(db)
  for (const table of ['versions', 'shapes', 'files', 'snapshots', 'snapshot_files']) {
    db.exec(`DROP TABLE old_${table}`)
  }
}

function repack(db: DatabaseSync): void {
  const packs = new Packs(db)
  packs.put(oldVersions(db))
}

function* oldVersions(db: DatabaseSync): Generator<Version> {
  const rows = db.prepare('SELECT * FROM old_versions ORDER BY rowid').iterate()
  for (const { hash, facts, content } of rows) {
    yield { ...JSON.parse(String(facts)), hash: String(hash), content: String(content) }
  }
}

function reshape(db: DatabaseSync): void {
  const outlineOf = db.prepare('SELECT outline FROM old_shapes WHERE digest = ?')
  const shape = db.prepare('INSERT INTO shapes (ids, outline) VALUES (?, ?)')
  const file = db.prepare('INSERT INTO files VALUES (?, ?, ?, ?, ?)')
  const past = db.prepare('INSERT INTO past VALUES (?, ?, ?, ?, ?)')
  const kept = (digest: unknown) => {
    const outline: ShapeEntry[] = JSON.parse(String(outlineOf.get(String(digest))?.outline))
    const ids = JSON.stringify(outline.map((entry) => entry.id))
    return Number(shape.run(ids, packShape(outline)).lastInsertRowid)
  }
  const snapshots = db.prepare('SELECT * FROM old_snapshots ORDER BY at, name').all()
  const rowsOf = db.prepare('SELECT * FROM old_snapshot_files WHERE name = ?')
  for (const [at, snapshot] of snapshots.entries()) {
    for (const row of rowsOf.all(String(snapshot.name))) {
      past.run(String(row.path), String(row.hash), kept(row.shape), at, at + 1)
    }
    const insert = db.prepare('INSERT INTO snapshots (name, at, seq) VALUES (?, ?, ?)')
    insert.run(String(snapshot.name), Number(snapshot.at), at)
  }
  for (const { path, stamp, hash, shape: digest } of db.prepare('SELECT * FROM old_files').all()) {
    const known = typeof stamp === 'string' ? stamp : null
    file.run(String(path), known, String(hash), kept(digest), snapshots.length)
  }
  db.prepare('INSERT INTO state VALUES (?, ?)').run('seq', snapshots.length)
}

/** Which version stands where in a file. */
export interface ShapeEntry {
  id: string
  hash: string
  /** The id of what is around it; null for the file. */
  parent: string | null
  version: number
  authorship: { by: string; signal: string | null; outside: boolean }
  line: number
  begin: number
  end: number
  private: boolean
}

/** A shape without its ids. */
export function packShape(outline: readonly ShapeEntry[]): string {
  const places = new Map(outline.map(({ id }, at) => [id, at]))
  const authors: string[] = []
  const author = outline.map(({ authorship }) => {
    const said = JSON.stringify(authorship)
    const known = authors.indexOf(said)
    return known === -1 ? authors.push(said) - 1 : known
  })
  return JSON.stringify({
    hash: outline.map(({ hash }) => hash),
    parent: outline.map(({ parent }) => places.get(parent ?? '') ?? -1),
    version: outline.map(({ version }) => version),
    line: outline.map(({ line }) => line),
    begin: outline.map(({ begin }) => begin),
    end: outline.map(({ end }) => end),
    private: outline.flatMap((entry, at) => (entry.private ? [at] : [])),
    authors: authors.map((said) => JSON.parse(said)),
    author,
  })
}

/** The shape of these ids, in the order of the text. Throws when it is none. */
export function unpackShape(ids: readonly string[], text: string): ShapeEntry[] {
  const shape = JSON.parse(text)
  const hidden = new Set<number>(shape.private)
  return ids.map((id, at) => ({
    id,
    hash: shape.hash[at],
    parent: ids[shape.parent[at]] ?? null,
    version: shape.version[at],
    authorship: shape.authors[shape.author[at]],
    line: shape.line[at],
    begin: shape.begin[at],
    end: shape.end[at],
    private: hidden.has(at),
  }))
}

const migrations = [first, second]

/** Whether a migration is due. Throws a DatabaseError when a later program wrote it. */
export function isOld(db: DatabaseSync): boolean {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (version <= migrations.length) return version < migrations.length
  const message = `The memory was written by a later version of Passepartout (schema ${version}, this one knows ${migrations.length}); install that one`
  throw new DatabaseError('newer', message)
}

/** Brings a database to the present schema. Throws a DatabaseError when it is beyond it. */
export function migrate(db: DatabaseSync): void {
  if (!isOld(db)) return
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  for (const [at, change] of migrations.entries()) {
    if (at < version) continue
    transaction(db, () => {
      change(db)
      db.exec(`PRAGMA user_version = ${at + 1}`)
    })
  }
}
