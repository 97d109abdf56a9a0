import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { damage, type Row, type TransactedDatabase } from './sqlite-access.ts'

/** What the names of the files of one database end with. */
export const ends: readonly string[] = ['', '-wal', '-shm']

/** Reads a damaged file in a copy, with another first page when it must be. */
export function reading<T>(
  path: string,
  ready: (db: DatabaseSync) => void,
  read: (db: DatabaseSync) => T,
): T {
  const copy = `${path}.head`
  const own = tablesWith(null, path, copy)
  const heads = own > 0 ? [] : firstPages(`${path}.first`, ready)
  const best = heads
    .map((head) => ({ head, tables: tablesWith(head, path, copy) }))
    .reduce((one, other) => (other.tables > one.tables ? other : one), {
      head: null as Buffer | null,
      tables: own,
    })
  writeCopy(best.head, path, copy)
  const db = new DatabaseSync(copy)
  try {
    return read(db)
  } finally {
    db.close()
    remove(copy)
  }
}

function tablesWith(head: Buffer | null, path: string, copy: string): number {
  writeCopy(head, path, copy)
  return tablesIn(copy)
}

function writeCopy(head: Buffer | null, path: string, copy: string): void {
  remove(copy)
  copyFileSync(path, copy)
  const file = openSync(copy, 'r+')
  try {
    rollIn(`${path}-wal`, file)
    if (head !== null) writeSync(file, head, 0, head.length, 0)
    if (fstatSync(file).size > sizeAt + 4) writeSync(file, Buffer.alloc(4), 0, 4, sizeAt)
  } finally {
    closeSync(file)
  }
}

const logHeadBytes = 32
const frameHeadBytes = 24

/** Writes the pages of a log into a file, transaction by transaction. */
function rollIn(log: string, file: number): void {
  if (!existsSync(log)) return
  const bytes = readFileSync(log)
  const salts = [bytes.subarray(16, 24), bytes.subarray(logHeadBytes + 8, logHeadBytes + 16)]
  let due: number[] = []
  const frameBytes = frameHeadBytes + pageBytes
  for (let at = logHeadBytes; at + frameBytes <= bytes.length; at += frameBytes) {
    if (!salts.some((salt) => salt.equals(bytes.subarray(at + 8, at + 16)))) continue
    due.push(at)
    const pages = bytes.readUInt32BE(at + 4)
    if (pages === 0) continue
    for (const frame of due) {
      const page = bytes.readUInt32BE(frame)
      if (page === 0 || page > pages) continue
      writeSync(file, bytes, frame + frameHeadBytes, pageBytes, (page - 1) * pageBytes)
    }
    due = []
  }
}

const pageBytes = 4_096
const sizeAt = 28

/** How many tables begin with something that can be read; 0 when it is no database. */
function tablesIn(path: string): number {
  const db = new DatabaseSync(path)
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    return tables.filter(({ name }) => begins(db, String(name))).length
  } catch {
    return 0
  } finally {
    db.close()
  }
}

function begins(db: DatabaseSync, table: string): boolean {
  try {
    return db.prepare(`SELECT * FROM ${table} LIMIT 1`).get() !== undefined
  } catch {
    return false
  }
}

/** The first pages of a new file and of a compacted one. */
function firstPages(path: string, ready: (db: DatabaseSync) => void): Buffer[] {
  return ['', 'VACUUM'].map((sql) => {
    remove(path)
    const db = new DatabaseSync(path)
    try {
      ready(db)
      db.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`)
    } finally {
      db.close()
    }
    const head = readFileSync(path).subarray(0, pageBytes)
    head.writeUInt32BE(0, sizeAt)
    remove(path)
    return head
  })
}

/** Removes a database with its log and its shared memory. */
export function remove(path: string): void {
  for (const end of ends) rmSync(path + end, { force: true })
}

/** The rows of a table that can be read, each with its `number`; `gaps` counts where some could not. */
export function* rowsOf(db: DatabaseSync, table: string, gaps = { count: 0 }): Generator<Row> {
  let last = 0
  for (let step = 1; step < 2 ** 40; step *= 2) {
    try {
      const from = `SELECT rowid AS number, * FROM ${table} WHERE rowid > ? ORDER BY rowid`
      for (const row of db.prepare(from).iterate(last)) {
        if (Number(row.number) <= last) throw damage('the rows are out of order')
        last = Number(row.number)
        step = 1
        yield row
      }
      return
    } catch {
      if (step === 1) gaps.count++
      last += step
    }
  }
}

/** Fills the tables of a new file with what can be read of a damaged one; returns what to say of it. */
export function saveRows(damaged: DatabaseSync, file: TransactedDatabase): string {
  const gaps = { count: 0 }
  let count = 0
  file.transaction(() => {
    const tables = file.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    for (const { name } of tables) {
      if (String(name).startsWith('sqlite_')) continue
      for (const { number, ...row } of rowsOf(damaged, String(name), gaps)) {
        const columns = Object.keys(row)
        const places = columns.map(() => '?').join(', ')
        const into = `INSERT OR IGNORE INTO ${String(name)} (rowid, ${columns.join(', ')})`
        count += Number(
          file.prepare(`${into} VALUES (?, ${places})`).run(number!, ...Object.values(row)).changes,
        )
      }
    }
  })
  return `${count} rows were saved${gaps.count === 0 ? '' : '; others could not be read'}`
}
