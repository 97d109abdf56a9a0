import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { DecisionRight } from '../approval/decision-right.ts'
import type { Clock } from '../base/clock.ts'
import { dayText, localDay } from '../base/day.ts'
import type { Log } from '../base/log-file.ts'
import { messageOf } from '../base/printing.ts'
import { SqliteFile } from '../base/sqlite.ts'
import type { Row } from '../base/sqlite-access.ts'
import { saveRows } from '../base/sqlite-rescue.ts'
import type { Signal, SignalMeta } from '../contract/signal.ts'
import { decodeSignal, encodeSignal } from '../wire/envelope.ts'

interface MailOptions {
  path: string
  clock: Clock
  /** Gets a sentence when the file could not be used, or had to be made again. */
  told: (sentence: string) => void
  /** How many different messages, when not ten thousand. */
  rowsMax?: number
}

const table = `CREATE TABLE IF NOT EXISTS mail (
  id INTEGER PRIMARY KEY, source TEXT, text TEXT, signal TEXT, count INTEGER, at INTEGER,
  UNIQUE (source, text))`
const usualMax = 10_000
const pushedOutText =
  'There was more than could be kept here; the journal of what was done has it all.'

/** What waits for whoever comes next. */
export class Mail {
  readonly #options: MailOptions
  #file: SqliteFile | null = null

  constructor(options: MailOptions) {
    this.#options = options
  }

  /** Keeps a signal; false when it could not be written, which was told. */
  keep(signal: Signal): boolean {
    return (
      this.#attempt((file) =>
        file.transaction(() => {
          put(file, signal, this.#now())
          const { count } = file.prepare('SELECT count(*) AS count FROM mail').get()!
          if (Number(count) <= (this.#options.rowsMax ?? usualMax)) return true
          const oldest = file.prepare(
            'DELETE FROM mail WHERE id = (SELECT min(id) FROM mail WHERE text IS NOT ?)',
          )
          oldest.run(pushedOutText)
          put(file, pushedOut(signal), this.#now())
          return true
        }),
      ) ?? false
    )
  }

  /** Hands everything that waits for these sources to `send`, the oldest first. */
  handOut(sources: readonly string[], send: (signal: Signal) => void): void {
    if (this.#file === null && !existsSync(this.#options.path)) return
    this.#attempt((file) => {
      const places = sources.map(() => '?').join(', ')
      const where = `FROM mail WHERE source IN (${places})`
      const rows = file.prepare(`SELECT * ${where} ORDER BY id`).all(...sources)
      if (rows.length === 0) return
      for (const signal of summedUp(rows.flatMap((row) => readRow(row, this.#now())))) send(signal)
      file.prepare(`DELETE ${where} AND id <= ?`).run(...sources, rows.at(-1)!.id!)
    })
  }

  close(): void {
    this.#file?.close()
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }

  #attempt<T>(work: (file: SqliteFile) => T): T | null {
    const { path, told } = this.#options
    try {
      const ready = (db: DatabaseSync) =>
        db.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 2000; ${table}`)
      const name = 'what waits to be told'
      this.#file ??= new SqliteFile({ path, name, ready, save: saveRows, told })
      return work(this.#file)
    } catch (error) {
      told(`What waits to be told cannot be kept: ${messageOf(error)}`)
      return null
    }
  }
}

const oldMs = 60_000

function put(file: SqliteFile, signal: Signal, at: number): void {
  const insert = `INSERT INTO mail (source, text, signal, count, at) VALUES (?, ?, ?, 1, ?)
    ON CONFLICT (source, text) DO UPDATE SET count = count + 1, at = excluded.at`
  const { meta, payload } = signal
  file.prepare(insert).run(meta.source, payload.text ?? null, encodeSignal(signal), at)
}

function pushedOut(signal: Signal): Signal {
  return { ...signal, payload: { action: 'message', text: pushedOutText } }
}

function readRow({ at, count, signal }: Row, now: number): Waiting[] {
  const read = decodeSignal(String(signal))
  if (!read.ok) return []
  const times = Number(count) === 1 ? '' : `, ${Number(count)} times`
  const isOld = now - Number(at) >= oldMs || times !== ''
  return [{ signal: read.value, note: isOld ? `${minuteText(Number(at))}${times}` : null }]
}

interface Waiting {
  signal: Signal
  /** When it was, and how often; null for just now. */
  note: string | null
}

const singleMax = 20
const pieceMax = 100_000

function minuteText(at: number): string {
  const date = new Date(at)
  const clock = [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0'))
  return `${dayText(localDay(date))} ${clock.join(':')}`
}

function dated({ note, signal }: Waiting): Signal {
  const { text } = signal.payload
  if (note === null || text === undefined) return signal
  return { ...signal, payload: { ...signal.payload, text: `${text}\n(${note})` } }
}

function isOnlyWords({ payload, type }: Signal): boolean {
  const { action, text, ...more } = payload
  return type === 'response' && text !== undefined && Object.keys(more).length === 0
}

/** All of it as it is told, few messages one by one and many in one. */
function summedUp(waiting: readonly Waiting[]): Signal[] {
  const words = waiting.filter(({ signal }) => isOnlyWords(signal))
  if (words.length <= singleMax) return waiting.map(dated)
  const pieces = [`${words.length} messages have waited for you.`]
  for (const one of words) {
    const next = `\n\n${dated(one).payload.text}`
    if (pieces.at(-1)!.length + next.length > pieceMax) pieces.push(next.trimStart())
    else pieces.push(pieces.pop() + next)
  }
  const { signal } = words[0]!
  const told = pieces.map((text) => ({ ...signal, payload: { action: 'message', text } }))
  return [...told, ...waiting.filter(({ signal }) => !isOnlyWords(signal)).map(dated)]
}

/** Who is connected. */
export interface Connections {
  has(sessionId: string): boolean
  /** The owner's sessions of a source, the youngest last; one that has proved nothing is not among them. */
  of(source: string): readonly string[]
  /** What whoever is at the other end may decide; without it, everything. */
  rightOf?(sessionId: string): DecisionRight
}

const terminals: readonly string[] = ['tui', 'cli']
const followedMax = 100
const lateMax = { signals: 200, characters: 4_000_000 }

/** The sources whose mail is the same. */
function alike(source: string): readonly string[] {
  return terminals.includes(source) ? terminals : [source]
}

/** The answers for sessions whose connection was lost. */
class LateAnswers {
  #all: Signal[] = []

  keep(signal: Signal): void {
    if (signal.type === 'stream-chunk') return
    const { streamed: _, ...payload } = signal.payload
    this.#all.push({ ...signal, payload })
    let characters = this.#all.reduce((sum, one) => sum + lengthOf(one), 0)
    while (this.#all.length > lateMax.signals || characters > lateMax.characters) {
      characters -= lengthOf(this.#all.shift()!)
    }
  }

  /** Gives back what is there for a session. */
  take(sessionId: string): Signal[] {
    const mine = this.#all.filter(({ meta }) => meta.sessionId === sessionId)
    if (mine.length > 0) this.#all = this.#all.filter((one) => !mine.includes(one))
    return mine
  }
}

function lengthOf({ payload }: Signal): number {
  return payload.text?.length ?? 0
}

/** Sends signals to sessions, and keeps those that must not get lost. */
export class Outbox {
  readonly #send: (signal: Signal) => void
  readonly #connections: Connections | undefined
  readonly #mail: Mail | null
  readonly #followed = new Map<string, string | undefined>()
  readonly #late = new LateAnswers()
  #unwritten: Signal[] = []

  constructor(send: (signal: Signal) => void, connections?: Connections, mail: Mail | null = null) {
    this.#send = send
    this.#connections = connections
    this.#mail = mail
  }

  /** The session of this source that connected last, or null. */
  latest(source: string): string | null {
    return this.#connections?.of(source).at(-1) ?? null
  }

  /** What whoever reads this session may decide; a signal of no session is for the owner. */
  rightOf(sessionId: string | undefined): DecisionRight {
    if (sessionId === undefined) return 'always'
    return this.#connections?.rightOf?.(sessionId) ?? 'always'
  }

  /** Answers for this session go to another one when it is gone, else to its source. */
  follow(sessionId: string | undefined, other?: string): void {
    if (sessionId === undefined) return
    this.#followed.set(sessionId, other)
    const [oldest] = this.#followed.keys()
    if (this.#followed.size > followedMax && oldest !== undefined) this.#followed.delete(oldest)
  }

  /** Sends a signal to where it belongs. Throws what sending throws. */
  send(signal: Signal): void {
    const { sessionId, source } = signal.meta
    const connections = this.#connections
    const isThere = (id?: string) => id !== undefined && connections?.has(id) === true
    if (connections === undefined || isThere(sessionId)) {
      this.#send(signal)
      return
    }
    const isLate = sessionId !== undefined && !this.#followed.has(sessionId)
    if (isLate) this.#late.keep(signal)
    if (isLate || signal.type !== 'response') return
    const other = this.#followed.get(sessionId ?? '')
    const open = alike(source).flatMap((each) => connections.of(each))
    const home = isThere(other) ? other : open.at(-1)
    if (home !== undefined) this.#send({ ...signal, meta: { ...signal.meta, sessionId: home } })
    else if (!this.#mail?.keep(signal)) this.#unwritten = [...this.#unwritten, signal].slice(-20)
  }

  /** A session of this source is there; it gets what came late for it, and a terminal of the owner's the mail. */
  connected(sessionId: string, source: string): void {
    for (const signal of this.#late.take(sessionId)) this.#send(signal)
    if (this.#connections?.of(source).includes(sessionId) === false) return
    const sources = alike(source)
    const give = (signal: Signal) => this.#send({ ...signal, meta: { ...signal.meta, sessionId } })
    this.#mail?.handOut(sources, give)
    const mine = this.#unwritten.filter(({ meta }) => sources.includes(meta.source))
    this.#unwritten = this.#unwritten.filter((one) => !mine.includes(one))
    for (const signal of mine) give(signal)
  }

  /** Closes the file. */
  close(): void {
    this.#mail?.close()
  }
}

/** How the owner is reached. */
export interface OwnerContact {
  log: Log
  outbox: Outbox
  /** Whose signal is under way; null between turns. */
  asking: SignalMeta | null
}

/** Says a sentence to the owner, and writes it into the log. */
export function tellOwner({ asking, log, outbox }: OwnerContact, sentence: string): void {
  log('warn', sentence)
  const notice = noticeOf(sentence)
  outbox.send({ ...notice, meta: asking ?? notice.meta })
}

/** A sentence for the owner at any terminal, which comes from no signal. */
export function noticeOf(text: string): Signal {
  return {
    type: 'response',
    meta: { source: 'cli' },
    payload: { action: 'message', text },
    depth: 0,
  }
}
