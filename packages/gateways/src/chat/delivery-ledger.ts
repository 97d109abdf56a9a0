import { join } from 'node:path'
import { type Clock, SqliteFile, type SqliteOptions, saveRows } from '@passepartout/core'
import {
  type Delivery,
  type GatewayName,
  type Incoming,
  incomingSchema,
  type Outgoing,
  outgoingSchema,
} from './gateway.ts'

/** The book of a daemon's messages. */
export interface Ledger {
  db: SqliteFile
  clock: Clock
}

/** Where the book is kept. */
export function ledgerPath(stateDir: string): string {
  return join(stateDir, 'gateways.db')
}

const tables = `
  CREATE TABLE IF NOT EXISTS outgoing (
    id INTEGER PRIMARY KEY AUTOINCREMENT, gateway TEXT NOT NULL, chat TEXT NOT NULL,
    body TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    due INTEGER NOT NULL, doubled INTEGER NOT NULL DEFAULT 0, number TEXT, reason TEXT,
    at INTEGER NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS outgoing_waiting ON outgoing (gateway, chat, id)
    WHERE state IN ('waiting', 'sending');
  CREATE TABLE IF NOT EXISTS incoming (
    id INTEGER PRIMARY KEY AUTOINCREMENT, gateway TEXT NOT NULL, key TEXT NOT NULL,
    chat TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL,
    UNIQUE (gateway, key)) STRICT;
  CREATE INDEX IF NOT EXISTS incoming_open ON incoming (gateway, chat, id) WHERE state <> 'done';
  CREATE TABLE IF NOT EXISTS chats (
    session TEXT PRIMARY KEY, gateway TEXT NOT NULL, chat TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS questions (
    nonce TEXT PRIMARY KEY, gateway TEXT NOT NULL, approval TEXT NOT NULL, digest TEXT NOT NULL,
    outgoing INTEGER NOT NULL, expires INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0) STRICT;
  CREATE TABLE IF NOT EXISTS people (
    gateway TEXT NOT NULL, number TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (gateway, number)) STRICT;
  CREATE TABLE IF NOT EXISTS codes (
    gateway TEXT PRIMARY KEY, salt TEXT NOT NULL, hash TEXT NOT NULL,
    expires INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS states (gateway TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT;`

/** Opens the book, or makes it; `told` gets a sentence when it had to be mended. Throws a DatabaseError. */
export function openLedger(
  path: string,
  clock: Clock,
  told: (sentence: string) => void = () => {},
): Ledger {
  const ready: SqliteOptions['ready'] = (db) => {
    db.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      ${tables}`)
  }
  const db = new SqliteFile({ path, name: 'the book of messages', ready, save: saveRows, told })
  return { db, clock }
}

/** Does all of it or nothing; within another such it is a part of that. Throws what it throws. */
export function together<T>({ db }: Ledger, work: () => T): T {
  return db.transaction(work)
}

const nowOf = ({ clock }: Ledger) => clock.now().getTime()

/** A message that waits to be sent. */
interface Waiting {
  id: number
  message: Outgoing
  attempts: number
  /** It may have arrived before. */
  isDoubled: boolean
}

/** Writes a message down; returns its number in the book. */
export function recordOutgoing(ledger: Ledger, gateway: GatewayName, message: Outgoing): number {
  const { db } = ledger
  const now = nowOf(ledger)
  const insert = db.prepare(
    "INSERT INTO outgoing (gateway, chat, body, state, due, at) VALUES (?, ?, ?, 'waiting', ?, ?)",
  )
  const { lastInsertRowid } = insert.run(gateway, message.chat, JSON.stringify(message), now, now)
  return Number(lastInsertRowid)
}

/** The next message that may be sent now, or when the next may be; null when none waits. */
export function nextDue(ledger: Ledger, gateway: GatewayName): Waiting | { dueMs: number } | null {
  const row = ledger.db
    .prepare(
      `SELECT id, body, attempts, doubled, due FROM outgoing WHERE id IN (
         SELECT min(id) FROM outgoing
         WHERE gateway = ? AND state IN ('waiting', 'sending') GROUP BY chat)
       AND state = 'waiting' ORDER BY due, id LIMIT 1`,
    )
    .get(gateway)
  if (row === undefined) return null
  const waits = Number(row.due) - nowOf(ledger)
  if (waits > 0) return { dueMs: waits }
  const { id, body, attempts, doubled } = row
  const message = outgoingSchema.parse(JSON.parse(String(body)))
  return { id: Number(id), message, attempts: Number(attempts), isDoubled: doubled === 1 }
}

const waitMaxMs = 5 * 60_000
const toldMaxMs = 60 * 60_000

/** The message is about to cross the line. */
export function beginSending({ db }: Ledger, id: number): void {
  db.prepare("UPDATE outgoing SET state = 'sending', attempts = attempts + 1 WHERE id = ?").run(id)
}

/** Writes down how it ended; returns whether the message will be tried again. */
export function settleSending(ledger: Ledger, id: number, delivery: Delivery): boolean {
  const { db } = ledger
  if (delivery.kind === 'sent' || delivery.kind === 'refused') {
    const [number, reason] =
      delivery.kind === 'sent' ? [delivery.id, null] : [null, delivery.reason]
    const update = 'UPDATE outgoing SET state = ?, number = ?, reason = ? WHERE id = ?'
    db.prepare(update).run(delivery.kind, number, reason, id)
    return false
  }
  const row = db.prepare('SELECT attempts, gateway, body FROM outgoing WHERE id = ?').get(id)
  if (row === undefined) return false
  const told = delivery.kind === 'later' ? delivery.retryAfterMs : null
  const wait = Math.min(1_000 * 2 ** Math.min(Number(row.attempts) - 1, 20), waitMaxMs)
  const due = nowOf(ledger) + (told === null ? wait : Math.min(Math.max(told, 0), toldMaxMs))
  const isDoubled = delivery.kind === 'unknown' && !isHarmless(String(row.body))
  together(ledger, () => {
    db.prepare(
      "UPDATE outgoing SET state = 'waiting', due = ?, reason = ?, doubled = max(doubled, ?) WHERE id = ?",
    ).run(due, delivery.reason, Number(isDoubled), id)
    if (told === null) return
    const all = "UPDATE outgoing SET due = max(due, ?) WHERE gateway = ? AND state = 'waiting'"
    db.prepare(all).run(due, row.gateway!)
  })
  return true
}

/** Whether it may arrive twice without anybody noticing. */
function isHarmless(body: string): boolean {
  return outgoingSchema.parse(JSON.parse(body)).replaces !== null
}

/** Writes down what came in. What is in the book already is left alone; returns whether it is new. */
export function recordIncoming(
  ledger: Ledger,
  gateway: GatewayName,
  message: Incoming,
  state: 'waiting' | 'done' = 'waiting',
): boolean {
  const insert = ledger.db.prepare(
    `INSERT INTO incoming (gateway, key, chat, body, state, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  const body = JSON.stringify(message)
  return insert.run(gateway, message.key, message.chat, body, state, nowOf(ledger)).changes === 1
}

/** The next message to work on, which is begun with that; null when there is none. */
export function nextIncoming(
  { db }: Ledger,
  gateway: GatewayName,
): { id: number; message: Incoming } | null {
  const row = db
    .prepare(
      `UPDATE incoming SET state = 'begun' WHERE id = (
         SELECT min(id) FROM incoming WHERE state = 'waiting' AND gateway = ?1 AND chat NOT IN (
           SELECT chat FROM incoming WHERE state = 'begun' AND gateway = ?1))
       RETURNING id, body`,
    )
    .get(gateway)
  if (row === undefined) return null
  return { id: Number(row.id), message: incomingSchema.parse(JSON.parse(String(row.body))) }
}

/** Puts a changed message in the place of the one it changes; `late` when that was begun already. */
export function amendIncoming(
  { db }: Ledger,
  gateway: GatewayName,
  { chat, number, sender, text }: Incoming,
): 'taken' | 'late' | 'same' {
  const row = db
    .prepare(
      `UPDATE incoming SET body = json_set(body, '$.text', ?1, '$.isEdited', json('true'))
       WHERE gateway = ?2 AND chat = ?3 AND json_extract(body, '$.number') = ?4
         AND json_extract(body, '$.sender') = ?5 AND json_extract(body, '$.text') <> ?1
       RETURNING state`,
    )
    .get(text, gateway, chat, number, sender)
  if (row === undefined) return 'same'
  return row.state === 'waiting' ? 'taken' : 'late'
}

/** What the pipeline calls the turn of a message in the book. */
export function turnNameOf(id: number): string {
  return `incoming-${id}`
}

/** The message was worked on. */
export function settleIncoming({ db }: Ledger, id: number): void {
  db.prepare("UPDATE incoming SET state = 'done' WHERE id = ?").run(id)
}

/** Withdraws what waits for or from somebody who was turned away. */
export function withdraw(ledger: Ledger, gateway: GatewayName, number: string): void {
  const { db } = ledger
  db.prepare(
    `UPDATE incoming SET state = 'done' WHERE gateway = ? AND state = 'waiting'
       AND json_extract(body, '$.sender') = ?`,
  ).run(gateway, number)
  db.prepare(
    `UPDATE outgoing SET state = 'refused', reason = 'this person was turned away'
       WHERE gateway = ? AND chat = ? AND state = 'waiting'`,
  ).run(gateway, number)
}

/** Puts what was under way when the last daemon ended where it can go on. Before anything else. */
export function recover(
  ledger: Ledger,
  interrupted: (what: string, turn: string) => string,
): { doubled: number; broken: number } {
  const { db } = ledger
  return together(ledger, () => {
    const sending = db.prepare("SELECT id, body FROM outgoing WHERE state = 'sending'").all()
    for (const { id, body } of sending) {
      db.prepare("UPDATE outgoing SET state = 'waiting', due = 0, doubled = ? WHERE id = ?").run(
        Number(!isHarmless(String(body))),
        id!,
      )
    }
    const begun = db.prepare("SELECT id, gateway, body FROM incoming WHERE state = 'begun'").all()
    for (const { id, gateway, body } of begun) {
      const { chat, press, text } = incomingSchema.parse(JSON.parse(String(body)))
      const what = press !== null ? 'a button' : `“${text.slice(0, 200).toWellFormed()}”`
      const notice = interrupted(what, turnNameOf(Number(id)))
      const message = { chat, text: notice, spans: [], buttons: [], replaces: null }
      recordOutgoing(ledger, gateway as GatewayName, message)
      settleIncoming(ledger, Number(id))
    }
    return { doubled: sending.length, broken: begun.length }
  })
}

const keptMs = 7 * 24 * 60 * 60_000

/** Forgets what was finished a week ago. */
export function forgetOld(ledger: Ledger): void {
  const before = nowOf(ledger) - keptMs
  ledger.db.prepare("DELETE FROM outgoing WHERE state = 'sent' AND at < ?").run(before)
  ledger.db.prepare("DELETE FROM incoming WHERE state = 'done' AND at < ?").run(before)
  ledger.db.prepare('DELETE FROM questions WHERE expires < ?').run(before)
}

/** How many messages of a network are where, and why the last one that failed did. */
export function summary(
  { db }: Ledger,
  gateway: GatewayName,
): { waiting: number; sent: number; refused: number; reason: string | null } {
  const count = (state: string) =>
    db
      .prepare('SELECT count(*) AS n FROM outgoing WHERE gateway = ? AND state = ?')
      .get(gateway, state)?.n
  const failed = db
    .prepare(
      "SELECT reason FROM outgoing WHERE gateway = ? AND state <> 'sent' AND reason IS NOT NULL ORDER BY id DESC",
    )
    .get(gateway)
  return {
    waiting: Number(count('waiting')) + Number(count('sending')),
    sent: Number(count('sent')),
    refused: Number(count('refused')),
    reason: failed === undefined ? null : String(failed.reason),
  }
}
