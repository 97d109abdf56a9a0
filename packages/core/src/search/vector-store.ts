import { join } from 'node:path'
import { SqliteFile } from '../base/sqlite.ts'
import { VectorTable } from './vectors.ts'

/** Where vectors are kept. */
export interface KeptVectors {
  /** The models that have vectors, with their number. */
  models(): { model: string; dimension: number; count: number }[]
  /** All vectors of a model; null when it has none. */
  load(model: string): VectorTable | null
  put(model: string, vectors: readonly (readonly [hash: string, vector: Float32Array])[]): void
  /** Forgets vectors of a model. */
  remove(model: string, hashes: Iterable<string>): void
  /** Forgets a model and all of its vectors. */
  removeModel(model: string): void
  close(): void
}

const tables = `CREATE TABLE IF NOT EXISTS models (model TEXT PRIMARY KEY, dimension INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS vectors (model TEXT NOT NULL, hash TEXT NOT NULL,
    vector BLOB NOT NULL, PRIMARY KEY (model, hash)) WITHOUT ROWID;`

/** Opens the vectors of a state directory; a damaged file is replaced by an empty one, which `told` is told. Throws a DatabaseError. */
export function openVectors(
  stateDir: string,
  told: (sentence: string) => void = () => {},
): KeptVectors {
  return keptIn(
    new SqliteFile({
      path: join(stateDir, 'vectors.db'),
      name: 'the list of vectors',
      told,
      ready(db) {
        db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${tables}`)
        db.prepare('SELECT model, hash, vector FROM vectors LIMIT 1').get()
      },
    }),
  )
}

function keptIn(db: SqliteFile): KeptVectors {
  const add = db.prepare('INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)')
  const name = db.prepare('INSERT OR REPLACE INTO models VALUES (?, ?)')
  const drop = db.prepare('DELETE FROM vectors WHERE model = ? AND hash = ?')
  return {
    models: () => modelsIn(db),
    load: (model) => tableOf(db, model),
    put: (model, vectors) =>
      db.transaction(() => {
        for (const [, { length }] of vectors.slice(0, 1)) name.run(model, length)
        for (const [hash, vector] of vectors) add.run(model, hash, bytesOf(vector))
      }),
    remove: (model, hashes) =>
      db.transaction(() => {
        for (const hash of hashes) drop.run(model, hash)
      }),
    removeModel: (model) =>
      db.transaction(() => {
        db.prepare('DELETE FROM vectors WHERE model = ?').run(model)
        db.prepare('DELETE FROM models WHERE model = ?').run(model)
      }),
    close: () => db.close(),
  }
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

function modelsIn(db: SqliteFile): ReturnType<KeptVectors['models']> {
  const rows = db
    .prepare(
      `SELECT m.model, m.dimension, count(v.hash) AS count FROM models m
         JOIN vectors v ON v.model = m.model GROUP BY m.model ORDER BY count DESC, m.model`,
    )
    .all()
  return rows.map(({ model, dimension, count }) => ({
    model: String(model),
    dimension: Number(dimension),
    count: Number(count),
  }))
}

function tableOf(db: SqliteFile, model: string): VectorTable | null {
  const known = db.prepare('SELECT dimension FROM models WHERE model = ?').get(model)
  const dimension = Number(known?.dimension ?? 0)
  if (dimension < 1) return null
  const table = new VectorTable(dimension)
  const rows = db.prepare('SELECT hash, vector FROM vectors WHERE model = ?').iterate(model)
  for (const { hash, vector } of rows) {
    if (!(vector instanceof Uint8Array) || vector.byteLength !== 4 * dimension) continue
    table.set(String(hash), new Float32Array(vector.slice().buffer))
  }
  return table.size === 0 ? null : table
}
