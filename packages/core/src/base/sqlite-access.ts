import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'

/** A row, by the names of its columns. */
export type Row = Record<string, SQLOutputValue>

/** A statement that was prepared. */
export interface Statement {
  run(...values: SQLInputValue[]): ReturnType<StatementSync['run']>
  get(...values: SQLInputValue[]): Row | undefined
  all(...values: SQLInputValue[]): Row[]
  iterate(...values: SQLInputValue[]): Iterable<Row>
}

/** What can be asked for rows. */
export interface Database {
  prepare(sql: string): Statement
  exec(sql: string): void
}

/** A database that does several things as one. */
export interface TransactedDatabase extends Database {
  transaction<T>(work: () => T): T
}

/** Does all of the work or nothing of it. Throws what the work throws. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isOpen && db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Why a database could not be used. */
export class DatabaseError extends Error {
  /** `damaged`: and it could not be made again; `newer`: a later program wrote it. */
  readonly code: 'busy' | 'newer' | 'damaged' | 'full' | 'unwritable'

  constructor(code: DatabaseError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** The kinds of fault of a file. */
export type Fault = 'damage' | 'disk' | 'full' | 'unwritable'

/** By SQLite's primary code, and by the system's. */
const faults = new Map<number, Fault>([
  [8, 'unwritable'],
  [10, 'disk'],
  [11, 'damage'],
  [13, 'full'],
  [14, 'unwritable'],
  [26, 'damage'],
])

const systemFaults = new Map<unknown, Fault>([
  ['EACCES', 'unwritable'],
  ['EPERM', 'unwritable'],
  ['EROFS', 'unwritable'],
  ['EIO', 'disk'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
])

/** What an error says of the file; null when it says nothing of it. */
export function faultOf(error: unknown): Fault | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  if (!('errcode' in error)) return systemFaults.get(error.code) ?? null
  if (/^no such (?:table|column|index)/.test(error.message)) return 'damage'
  return faults.get(Number(error.errcode) & 255) ?? null
}

/** The error of a database that is damaged, as SQLite would throw it. */
export function damage(message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode: 11 })
}
