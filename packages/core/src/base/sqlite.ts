import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { keepToOwner } from './advisory-lock.ts'
import { commandName } from './command-name.ts'
import { messageOf } from './printing.ts'
import {
  type Database,
  DatabaseError,
  damage,
  type Fault,
  faultOf,
  type Row,
  type Statement,
  transaction,
} from './sqlite-access.ts'
import { addressOf, type ConnectionOptions, keptLog, OpenFile } from './sqlite-connection.ts'
import { ends, reading, remove } from './sqlite-rescue.ts'

/** A kind of database file. */
export interface SqliteOptions extends ConnectionOptions {
  /** As a subject of a sentence: `the memory`. */
  name: string
  /** What SQLite does not look at: throws the error of damage when the contents cannot be right. */
  sound?: (db: DatabaseSync) => void
  /** Puts into the new file what can be read of the damaged one; returns what to say of it. */
  save?: (damaged: DatabaseSync, file: SqliteFile) => string
  /** Is told in one sentence what was done. */
  told?: (sentence: string) => void
}

type Opened = OpenFile<SqliteOptions>

function renew(open: Opened, file: SqliteFile, error: unknown): void {
  const { path, name, save, told } = open.options
  open.letGo()
  const aside = putAside(path, 'damaged')
  if (existsSync(keptLog(path))) renameSync(keptLog(path), `${aside}-wal`)
  let saved: string | null = null
  try {
    open.open(true)
    if (save !== undefined) saved = reading(aside, open.options.ready, (db) => save(db, file))
  } catch (failure) {
    open.letGo()
    takeBack(aside, path)
    throw failure
  }
  file.losses++
  const why = messageOf(error)
  const what = saved === null ? 'was begun anew' : `was made again: ${saved}`
  told?.(`${capital(name)} was damaged (${why}) and ${what}. The damaged file is ${aside}.`)
}

function rescue(open: Opened, file: SqliteFile, found: Error | null = null): void {
  const { path, name, isLocked = false, told } = open.options
  const isCut = open.watch.isCut()
  if (found === null && !isLocked && !isCut && existsSync(path)) {
    open.open()
    return
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const copy = `${path}.rescued`
  rmSync(copy, { force: true })
  keepToOwner(copy)
  try {
    open.connection.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`)
    if (found !== null || isCut) mustBeWhole(copy, open.options)
  } catch (error) {
    rmSync(copy, { force: true })
    const fault = faultOf(error)
    if (fault !== 'damage' && !(isCut && fault === 'disk')) throw error
    renew(open, file, found ?? (isCut ? damage('it or its log was cut off') : error))
    return
  }
  open.letGo()
  const kind = found === null ? 'replaced' : 'damaged'
  const aside = existsSync(path) ? ` What lay there is ${putAside(path, kind)}.` : ''
  remove(path)
  renameSync(copy, path)
  open.open()
  const why =
    found !== null
      ? `damaged on the disk (${found.message})`
      : isCut
        ? 'emptied or cut off'
        : 'moved or deleted'
  told?.(`${capital(name)} was ${why}, and is at ${path} again, whole.${aside}`)
}

function lookThrough(open: Opened, file: SqliteFile): void {
  try {
    mustBeWhole(open.options.path, open.options)
  } catch (error) {
    if (faultOf(error) !== 'damage' || open.options.readOnly === true) throw error
    rescue(open, file, error as Error)
  }
}

/** Looks through a file with a connection of its own, whose pages come from the disk. */
function mustBeWhole(path: string, { complete, sound }: SqliteOptions): void {
  const db = new DatabaseSync(addressOf(path, true), { readOnly: true })
  try {
    checkPages(db)
    complete?.(db)
    sound?.(db)
  } finally {
    db.close()
  }
}

function reopen(open: Opened, file: SqliteFile): void {
  try {
    open.open()
    checkPages(open.connection)
  } catch (error) {
    if (faultOf(error) !== 'damage') throw error
    renew(open, file, error)
  }
}

const explanations: Record<Fault, [DatabaseError['code'], string]> = {
  full: ['full', 'was not written, for the disk is full; that is done when there is room again'],
  unwritable: ['unwritable', 'cannot be opened or written; see who may write that file'],
  disk: ['unwritable', 'cannot be read or written; the disk may be failing'],
  damage: ['damaged', 'is damaged and could not be made again'],
}

const looking: [DatabaseError['code'], string] = [
  'damaged',
  `is damaged; a daemon makes it again as soon as it sees that, else ${commandName} doctor --fix does`,
]

/** An error of SQLite's or of the system as a DatabaseError, and any other as it is. */
function explained({ name, path, readOnly }: SqliteOptions, error: unknown): unknown {
  const fault = faultOf(error)
  if (error instanceof DatabaseError || fault === null) return error
  const why = messageOf(error)
  const [code, text] = readOnly && fault === 'damage' ? looking : explanations[fault]
  return new DatabaseError(code, `${capital(name)} ${text} (${path}: ${why}).`, { cause: error })
}

function checkPages(db: DatabaseSync): void {
  const found = db.prepare('PRAGMA quick_check(1)').get()?.quick_check
  if (found !== 'ok') throw damage(String(found).replaceAll('*** in database main ***', '').trim())
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const asideMax = 3

/** Gives the file another name, which it returns; the oldest of more than three such files goes. */
function putAside(path: string, why: 'damaged' | 'replaced'): string {
  const aside = `${path}.${why}-${Date.now()}`
  for (const end of ends) if (existsSync(path + end)) renameSync(path + end, aside + end)
  const begin = `${basename(path)}.${why}-`
  const kept = readdirSync(dirname(path))
    .filter((name) => name.startsWith(begin) && /^\d+$/.test(name.slice(begin.length)))
    .sort()
  for (const name of kept.slice(0, -asideMax)) {
    remove(join(dirname(path), name))
  }
  return aside
}

/** Gives a file that was put aside its name back, in place of what has it. */
function takeBack(aside: string, path: string): void {
  for (const end of ends) {
    rmSync(path + end, { force: true })
    if (existsSync(aside + end)) renameSync(aside + end, path + end)
  }
}

/** Whether the fault was one that could be mended, and was. Throws a DatabaseError. */
function mend(open: Opened, file: SqliteFile, error: unknown): boolean {
  const fault = faultOf(error)
  if (open.isClosed || open.options.readOnly || fault === null || fault === 'full') return false
  return orExplain(open, () => {
    if (open.watch.isMoved()) rescue(open, file)
    else if (fault === 'damage') renew(open, file, error)
    else if (fault === 'disk') reopen(open, file)
    else return false
    return true
  })
}

function orExplain<T>({ options }: Opened, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explained(options, error)
  }
}

function interrupted(open: Opened, file: SqliteFile, error: unknown): unknown {
  if (error !== null && !mend(open, file, error)) return explained(open.options, error)
  const text = `${capital(open.options.name)} was made again while it was read. Ask once more.`
  return new DatabaseError('damaged', text)
}

function attempt<T>(open: Opened, file: SqliteFile, work: () => T): T {
  keepIndex(open)
  try {
    return work()
  } catch (error) {
    if (!mend(open, file, error)) throw explained(open.options, error)
  }
  return orExplain(open, work)
}

function keepIndex(open: Opened): void {
  if (!open.isOpen || open.watch.lostIndex() === null) return
  const { name, path, told } = open.options
  orExplain(open, () => open.open())
  told?.(`The index of ${path}-wal was damaged and was made again; nothing of ${name} is lost.`)
}

function lookAfter(open: Opened, file: SqliteFile): void {
  if (open.isClosed || open.options.readOnly === true) return
  keepIndex(open)
  if (open.watch.isMoved()) orExplain(open, () => rescue(open, file))
}

function write<T>(open: Opened, file: SqliteFile, work: () => T): T {
  lookAfter(open, file)
  const result = attempt(open, file, work)
  open.watch.wrote()
  return result
}

/** A database file with its connection. */
export class SqliteFile implements Database {
  readonly #open: Opened
  /** Grows whenever rows may have been lost. */
  losses = 0

  /** Opens the file, or makes it; a damaged one is made again. Throws a DatabaseError. */
  constructor(options: SqliteOptions) {
    this.#open = new OpenFile(options)
    this.attempt(() => this.#open.connection)
  }

  /** Another number for each connection. */
  get generation(): number {
    return this.#open.generation
  }

  get isTransaction(): boolean {
    return this.#open.isOpen && this.#open.connection.isTransaction
  }

  prepare(sql: string): Statement {
    return new FileStatement(this, sql)
  }

  exec(sql: string): void {
    this.write(() => this.#open.connection.exec(sql))
  }

  /** A statement of the connection that there is now. */
  statement(sql: string): StatementSync {
    return this.#open.connection.prepare(sql)
  }

  /** Does all of the work or nothing of it; within another transaction it is a part of that. */
  transaction<T>(work: () => T): T {
    return this.isTransaction ? work() : this.write(() => transaction(this.#open.connection, work))
  }

  /** Does what may be repeated and writes, after a look at the file. Throws a DatabaseError, and what the work throws. */
  write<T>(work: () => T): T {
    return this.isTransaction ? work() : write(this.#open, this, work)
  }

  /** Does what may be repeated; mends what it meets and repeats it. Throws a DatabaseError, and what the work throws. */
  attempt<T>(work: () => T): T {
    return this.isTransaction ? work() : attempt(this.#open, this, work)
  }

  /** The error for an iteration that cannot go on, once what it met is mended; null is for another connection. */
  interrupted(error: unknown): unknown {
    return this.isTransaction ? error : interrupted(this.#open, this, error)
  }

  /** Looks whether the file is still at its path, and writes it again when not. Throws a DatabaseError. */
  look(): void {
    if (!this.isTransaction) lookAfter(this.#open, this)
  }

  /** Reads all of the file and makes it again when it is damaged; takes a quarter of a second for a hundred megabytes. Throws a DatabaseError. */
  check(): void {
    lookAfter(this.#open, this)
    orExplain(this.#open, () => lookThrough(this.#open, this))
  }

  /** Does nothing the second time. */
  close(): void {
    this.#open.close()
  }
}

class FileStatement implements Statement {
  readonly #file: SqliteFile
  readonly #sql: string
  #generation = -1
  #statement: StatementSync | null = null

  constructor(file: SqliteFile, sql: string) {
    this.#file = file
    this.#sql = sql
  }

  #ready(): StatementSync {
    if (this.#statement === null || this.#generation !== this.#file.generation) {
      this.#statement = this.#file.statement(this.#sql)
      this.#generation = this.#file.generation
    }
    return this.#statement
  }

  run(...values: SQLInputValue[]): ReturnType<StatementSync['run']> {
    return this.#file.write(() => this.#ready().run(...values))
  }

  get(...values: SQLInputValue[]): Row | undefined {
    return this.#file.attempt(() => this.#ready().get(...values))
  }

  all(...values: SQLInputValue[]): Row[] {
    return this.#file.attempt(() => this.#ready().all(...values))
  }

  *iterate(...values: SQLInputValue[]): Generator<Row> {
    const file = this.#file
    const begin = () => {
      const rows = this.#ready().iterate(...values)
      return { rows, first: rows.next() }
    }
    const { rows, first } = file.attempt(begin)
    const { generation } = file
    try {
      for (let row = first; row.done !== true; row = nextOf(file, rows, generation)) yield row.value
    } finally {
      if (generation === file.generation) rows.return?.()
    }
  }
}

function nextOf(file: SqliteFile, rows: Iterator<Row>, generation: number): IteratorResult<Row> {
  if (generation !== file.generation) throw file.interrupted(null)
  try {
    return rows.next()
  } catch (error) {
    throw file.interrupted(error)
  }
}
