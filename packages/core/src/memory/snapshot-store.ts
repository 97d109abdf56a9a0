import type { Database } from '../base/sqlite-access.ts'
import { type Moment, momentsMax } from './snapshots.ts'
import type { Snapshot } from './store.ts'

/** What a snapshot needs of the database that it is kept in. */
interface SnapshotDatabase {
  connection: Database & { transaction<T>(work: () => T): T }
  /** Attests what was written, where the memory is sealed. */
  keeper: { attest(db: Database): void } | null
  /** The moment that a commit of this number led to. */
  at(seq: number): Snapshot
}

/** What is known of a moment before it is written. */
export interface PendingMoment {
  /** The trace entry that it is the moment before. */
  entry: string | null
  /** Milliseconds since the epoch. */
  at: number
}

/** Writes a moment, the commit of this number; for the database, within its transaction. */
export function putMoment(db: Database, { entry, at }: PendingMoment, seq: number): void {
  db.prepare('INSERT INTO snapshots (at, seq, entry) VALUES (?, ?, ?)').run(at, seq, entry)
  const old = `DELETE FROM snapshots WHERE name IS NULL AND id NOT IN
    (SELECT id FROM snapshots WHERE name IS NULL ORDER BY id DESC LIMIT ?)`
  if (db.prepare(old).run(momentsMax).changes > 0) prunePast(db)
}

function prunePast(db: Database): void {
  const gone =
    'FROM past WHERE NOT EXISTS (SELECT 1 FROM snapshots WHERE seq >= since AND seq < until)'
  db.exec(`DELETE FROM shapes WHERE id IN (SELECT shape ${gone}); DELETE ${gone}`)
}

/** The moments that were kept by themselves, oldest first; each is read when it is looked at. */
export function savedMoments(database: SnapshotDatabase): Moment[] {
  const rows = database.connection
    .prepare('SELECT * FROM snapshots WHERE name IS NULL ORDER BY id')
    .all()
  return rows.map(({ entry, at, seq }) => {
    let snapshot: Snapshot | null = null
    return {
      entry: typeof entry === 'string' ? entry : null,
      at: Number(at),
      get snapshot() {
        snapshot ??= database.at(Number(seq))
        return snapshot
      },
    }
  })
}

/** A snapshot that is kept. */
interface SavedSnapshot {
  /** Its name; the number sign and a number when it has none. */
  name: string
  /** Milliseconds since the epoch. */
  at: number
  /** The trace entry before which it was kept by itself; null when somebody named it. */
  entry: string | null
}

/**
 * Keeps what was committed last under a name, in place of another of that name.
 * Throws a RangeError for a name that begins with a number sign or is empty.
 */
export function saveSnapshot(database: SnapshotDatabase, name: string, at: number): void {
  const { connection: db } = database
  if (name === '' || name.startsWith('#')) {
    throw new RangeError(`Expected a name for a snapshot, and found “${name}”`)
  }
  db.transaction(() => {
    dropRow(db, name)
    const seq = "(SELECT value FROM state WHERE name = 'seq')"
    const insert = `INSERT INTO snapshots (name, at, seq) VALUES (?, ?, ifnull(${seq}, 0))`
    db.prepare(insert).run(name, at)
  })
  database.keeper?.attest(db)
}

/** The moment of this name, or null when there is none. */
export function savedSnapshot(database: SnapshotDatabase, name: string): Snapshot | null {
  const found = rowNamed(database.connection, name)
  return found === undefined ? null : database.at(Number(found.seq))
}

/** All that are kept, oldest first; those without a name only when they are asked for. */
export function savedSnapshots(
  { connection: db }: SnapshotDatabase,
  isAll: boolean = false,
): SavedSnapshot[] {
  const rows = db.prepare('SELECT * FROM snapshots ORDER BY at, id').all()
  return rows
    .filter(({ name }) => isAll || name !== null)
    .map(({ id, name, at, entry }) => ({
      name: String(name ?? `#${Number(id)}`),
      at: Number(at),
      entry: typeof entry === 'string' ? entry : null,
    }))
}

/** Removes a snapshot; false when there is none. */
export function dropSnapshot(database: SnapshotDatabase, name: string): boolean {
  const { connection: db } = database
  let had = false
  db.transaction(() => {
    had = dropRow(db, name)
  })
  database.keeper?.attest(db)
  return had
}

function rowNamed(db: Database, name: string): { id: unknown; seq: unknown } | undefined {
  const [, id] = /^#(\d{1,12})$/.exec(name) ?? []
  const row = id === undefined ? 'name = ?' : 'name IS NULL AND id = CAST(? AS INTEGER)'
  const found = db.prepare(`SELECT id, seq FROM snapshots WHERE ${row}`).get(id ?? name)
  return found as { id: unknown; seq: unknown } | undefined
}

function dropRow(db: Database, name: string): boolean {
  const found = rowNamed(db, name)
  if (found === undefined) return false
  db.prepare('DELETE FROM snapshots WHERE id = ?').run(Number(found.id))
  prunePast(db)
  return true
}
