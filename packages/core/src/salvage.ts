import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import type { MemoryDatabase } from './database.ts'
import { type Version, versionHash } from './history.ts'
import { transaction, unpackShape } from './memory-tables.ts'
import { versionsIn } from './packs.ts'

type Row = Record<string, SQLOutputValue>

function* rowsOf(db: DatabaseSync, table: string): Generator<Row> {
  let last = 0
  for (let step = 1; step < 2 ** 40; step *= 2) {
    try {
      const from = `SELECT rowid AS number, * FROM ${table} WHERE rowid > ? ORDER BY rowid`
      for (const row of db.prepare(from).iterate(last)) {
        last = Number(row.number)
        step = 1
        yield row
      }
      return
    } catch {
      last += step
    }
  }
}

function* soundVersions(db: DatabaseSync): Generator<Version> {
  for (const { versions } of rowsOf(db, 'packs')) {
    try {
      for (const version of versionsIn(String(versions))) {
        const { hash, ...said } = version
        if (versionHash(said) === hash) yield version
      }
    } catch {
      // A pack that is no JSON any more.
    }
  }
}

/** Puts what can be read of a damaged memory into a new one; returns how many versions that were. */
export function salvage(from: string, database: MemoryDatabase): number {
  const { connection, packs } = database
  let count = 0
  let old: DatabaseSync | null = null
  try {
    old = new DatabaseSync(from, { readOnly: true })
    const damaged = old
    transaction(connection, () => {
      count = packs.put(soundVersions(damaged))
      saveChanges(damaged, connection)
      saveFiles(damaged, database)
    })
  } catch {
    // It is not a database at all.
  }
  old?.close()
  return count
}

function saveChanges(old: DatabaseSync, db: DatabaseSync): void {
  const put = db.prepare('INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)')
  for (const { id, at, hash, author, signal, outside, file } of rowsOf(old, 'changes')) {
    put.run(id!, at!, hash!, author!, signal!, outside!, file!)
  }
}

function saveFiles(old: DatabaseSync, { connection, packs }: MemoryDatabase): void {
  const shapes = new Map(Array.from(rowsOf(old, 'shapes'), (row) => [row.id, row]))
  const shape = connection.prepare('INSERT INTO shapes (ids, outline) VALUES (?, ?)')
  const file = connection.prepare('INSERT INTO files VALUES (?, NULL, ?, ?, 0)')
  for (const { path, hash, shape: number } of rowsOf(old, 'files')) {
    try {
      const { ids, outline } = shapes.get(number!)!
      const entries = unpackShape(JSON.parse(String(ids)), String(outline))
      if (entries.some((entry) => packs.version(entry.hash) === null)) continue
      file.run(path!, hash!, shape.run(ids!, outline!).lastInsertRowid)
    } catch {
      // Its shape is not there, or is none.
    }
  }
}
