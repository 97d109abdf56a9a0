import { PersistentMap } from '../base/persistent-map.ts'
import type { Database, Statement } from '../base/sqlite-access.ts'
import type { Archive, Authorship } from './history.ts'
import type { MemoryObject } from './memory-object.ts'
import { hasPrivateTag, privateTagsDefault } from './private-tags.ts'
import { ownScope, type Scope } from './scope.ts'
import { type PendingMoment, putMoment } from './snapshot-store.ts'
import type { FileEntry, Snapshot } from './store.ts'
import { packShape, type ShapeEntry, unpackShape } from './tables.ts'

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
  { archive, privateTags }: FileRows,
  file: string,
  outline: readonly ShapeEntry[],
): Map<string, MemoryObject> {
  const closed = new Set<string>()
  const scopes = new Map<string, Scope>()
  const inside = new Map<string, string[]>(outline.map(({ id }) => [id, []]))
  for (const { id, parent } of outline) inside.get(parent ?? '')?.push(id)
  return new Map(
    outline.map((entry) => {
      const version = archive.version(entry.hash)
      if (version === null) throw new Error(`a version of ${file} is missing`)
      const isClosed = closed.has(entry.parent ?? '') || hasPrivateTag(version, privateTags)
      if (isClosed) closed.add(entry.id)
      const scope = ownScope(version) ?? scopes.get(entry.parent ?? '') ?? 'memex'
      scopes.set(entry.id, scope)
      const place = { children: inside.get(entry.id)!, vector: null, scope, file }
      const authorship = entry.authorship as Authorship
      return [
        entry.id,
        Object.freeze({ ...version, ...entry, ...place, authorship, private: isClosed }),
      ]
    }),
  )
}

function shapeOf({ objects }: FileEntry): string {
  const outline = [...objects.values()].map((object): ShapeEntry => {
    const { id, hash, parent, version, authorship, line, begin, end } = object
    return { id, hash, parent, version, authorship, line, begin, end, private: object.private }
  })
  return packShape(outline)
}

const sql = {
  all: 'SELECT path, stamp, hash, shape FROM files',
  ids: 'SELECT path, ids FROM files JOIN shapes ON id = shape',
  file: 'SELECT shape, since FROM files WHERE path = ?',
  put: 'INSERT INTO files VALUES (?, NULL, ?, ?, ?)',
  stamp: 'UPDATE files SET stamp = ? WHERE path = ?',
  drop: 'DELETE FROM files WHERE path = ?',
  putPast: 'INSERT INTO past SELECT path, hash, shape, since, ? FROM files WHERE path = ?',
  pastAt: 'SELECT path, hash, shape FROM past WHERE since <= ? AND until > ?',
  newerThan: 'SELECT path FROM files WHERE since > ?',
  shape: 'SELECT ids, outline FROM shapes WHERE id = ?',
  putShape: 'INSERT INTO shapes (ids, outline) VALUES (?, ?)',
  dropShape: 'DELETE FROM shapes WHERE id = ?',
  seq: "SELECT value FROM state WHERE name = 'seq'",
  putSeq: "INSERT OR REPLACE INTO state VALUES ('seq', ?)",
  privacy: "SELECT value FROM state WHERE name = 'privacy'",
  putPrivacy: "INSERT OR REPLACE INTO state VALUES ('privacy', ?)",
  unstamp: 'UPDATE files SET stamp = NULL',
  lastSnapshot: 'SELECT max(seq) AS seq FROM snapshots',
}

/** A row of a file, present or past. */
interface FileRow {
  path: string
  stamp?: string | null
  hash: string
  shape: number
}

/** The rows of files in a database. */
export interface FileRows {
  readonly db: Database
  /** Where the versions are. */
  readonly archive: Archive
  readonly run: Record<keyof typeof sql, Statement>
  /** The owner's words for private, beside the one that everybody knows. */
  privateTags?: readonly string[] | undefined
  /** Is told which file could not be read. */
  broken(path: string): void
}

/** The rows of files in this database, whose versions are in the archive. */
export function openRows(db: Database, archive: Archive): FileRows {
  const prepared = Object.entries(sql).map(([name, text]) => [name, db.prepare(text)])
  return { db, archive, run: Object.fromEntries(prepared), broken: () => {} }
}

/** The number of the last commit that changed a file. */
function lastCommit({ run }: FileRows): number {
  return Number(run.seq.get()?.value ?? 0)
}

/** All files as they are; `stamps` learns their stamps, and forgets that of one that is broken. */
export function loadRows(
  rows: FileRows,
  stamps: Map<string, string>,
  privateTags?: readonly string[],
): Snapshot {
  rows.privateTags = privateTags
  const files: [string, FileEntry][] = []
  for (const found of rows.run.all.all() as unknown[]) {
    const row = found as FileRow
    files.push([row.path, stored(rows, row)])
    stamps.set(row.path, row.stamp ?? '')
  }
  if (isOtherPrivacy(rows)) stamps.clear()
  rows.broken = (path) => stamps.delete(path)
  return {
    files: PersistentMap.from(() => files),
    places: PersistentMap.from(() => placesIn(rows)),
  }
}

function* placesIn({ run }: FileRows): Generator<[string, string]> {
  for (const { path, ids } of run.ids.iterate()) {
    for (const id of JSON.parse(String(ids))) yield [id, String(path)]
  }
}

function stored(rows: FileRows, { path, hash, shape }: FileRow): FileEntry {
  return new StoredFile(hash, () => {
    try {
      const row = rows.run.shape.get(shape)
      const ids: string[] = JSON.parse(String(row?.ids))
      return objectsOf(rows, path, unpackShape(ids, String(row?.outline)))
    } catch {
      rows.broken(path)
      return new Map<string, MemoryObject>()
    }
  })
}

/** What the files were after the commit of this number, given what they are. */
export function rowsAt(rows: FileRows, seq: number, now: Snapshot): Snapshot {
  let { files, places } = now
  const then = rows.run.pastAt.all(seq, seq) as unknown as FileRow[]
  const newer = rows.run.newerThan.all(seq).map(({ path }) => String(path))
  for (const path of new Set([...newer, ...then.map((row) => row.path)])) {
    for (const id of files.get(path)?.objects.keys() ?? []) {
      if (places.get(id) === path) places = places.without(id)
    }
    files = files.without(path)
  }
  for (const row of then) {
    const ids: string[] = JSON.parse(String(rows.run.shape.get(row.shape)?.ids))
    for (const id of ids) places = places.with(id, row.path)
    files = files.with(row.path, stored(rows, row))
  }
  return { files, places }
}

const privacyRules = 1

function privacyOf({ privateTags = privateTagsDefault }: FileRows): string {
  return JSON.stringify([privacyRules, ...privateTags])
}

/** Whether the files were read by other rules of privacy than those of today. */
function isOtherPrivacy(rows: FileRows): boolean {
  return rows.run.privacy.get()?.value !== privacyOf(rows)
}

/** Forgets the stamps of files that were read by other rules. */
function renewPrivacy(rows: FileRows): void {
  if (!isOtherPrivacy(rows)) return
  rows.run.unstamp.run()
  rows.run.putPrivacy.run(privacyOf(rows))
}

/** Writes these files as they are now, or takes them away; for within a transaction. */
export function putRows(
  rows: FileRows,
  changed: readonly string[],
  before: Snapshot,
  now: Snapshot,
  moment: PendingMoment | null,
): void {
  const { db, run } = rows
  void before.places.size
  const seq = lastCommit(rows)
  if (moment !== null) putMoment(db, moment, seq)
  const last = Number(run.lastSnapshot.get()?.seq ?? -Infinity)
  for (const path of changed) {
    void before.files.get(path)?.objects
    putAside(rows, path, last, seq + 1)
    const entry = now.files.get(path)
    if (entry === undefined) continue
    const ids = JSON.stringify([...entry.objects.keys()])
    const shape = run.putShape.run(ids, shapeOf(entry)).lastInsertRowid
    run.put.run(path, entry.hash, shape, seq + 1)
  }
  run.putSeq.run(seq + 1)
}

function putAside({ run }: FileRows, path: string, last: number, until: number): void {
  const row = run.file.get(path)
  if (row === undefined) return
  if (last >= Number(row.since)) run.putPast.run(until, path)
  else run.dropShape.run(Number(row.shape))
  run.drop.run(path)
}

/** Writes to which states of the disk the rows of these files belong. */
export function stampRows(
  rows: FileRows,
  paths: readonly string[],
  stamps: ReadonlyMap<string, string>,
): void {
  renewPrivacy(rows)
  for (const path of paths) rows.run.stamp.run(stamps.get(path) ?? null, path)
}
