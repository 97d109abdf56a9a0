import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import {
  commandName,
  type Database,
  SqliteFile,
  type SqliteOptions,
  saveRows,
} from '@passepartout/core'
import { z } from 'zod'

const tables = `
  CREATE TABLE IF NOT EXISTS firings (hook TEXT, tier TEXT, at INTEGER);
  CREATE INDEX IF NOT EXISTS firings_by_hook ON firings (hook, at);
  CREATE TABLE IF NOT EXISTS letters (
    id TEXT PRIMARY KEY, hook TEXT, word TEXT, reason TEXT, at INTEGER, tries INTEGER, state TEXT);
  CREATE TABLE IF NOT EXISTS paused (hook TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS allowed (hook TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS suspects (hook TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS asked (hook TEXT PRIMARY KEY, at INTEGER);
  CREATE TABLE IF NOT EXISTS listed (hook TEXT PRIMARY KEY, value TEXT);
`

/** A firing that came to nothing. */
export interface Letter {
  /** Of the firing. */
  id: string
  hook: string
  /** The payload of the signal, as JSON. */
  word: string
  reason: string
  at: number
  tries: number
  /** `dead`, or `retry` when the owner wants it once more. */
  state: string
}

/** A hook, for people. */
export interface ListedHook {
  key: string
  event: string
  tier: string
  place: string
  text: string
  /** `ready`, `waits for you`, or what is wrong. */
  state: string
  /** How often in its window. */
  budget: number
  windowMs: number
}

const letterSchema = z.object({
  id: z.string(),
  hook: z.string(),
  word: z.string(),
  reason: z.string(),
  at: z.number(),
  tries: z.number(),
  state: z.string(),
})
const listedSchema = z.object({
  key: z.string(),
  event: z.string(),
  tier: z.string(),
  place: z.string(),
  text: z.string(),
  state: z.string(),
  budget: z.number(),
  windowMs: z.number(),
})
const countSchema = z.object({ count: z.number(), last: z.number().nullable() })

const weekMs = 604_800_000
const lettersMax = 200

const resume = `${commandName} events resume all`

function saveAtRest(damaged: DatabaseSync, file: SqliteFile): string {
  const saved = saveRows(damaged, file)
  file.exec("INSERT OR IGNORE INTO paused VALUES ('all')")
  return `${saved}, and all hooks rest until you say: ${resume}`
}

/** What is remembered of hooks. */
export interface EventState extends Spending, Letters, Words {
  close(): void
}

/** Opens it, and makes it when it is not there; all hooks rest in one that is not and was expected. `told` gets a sentence when it had to be mended. Throws a DatabaseError. */
export function openEventState(
  path: string,
  told: (sentence: string) => void = () => {},
  isExpected = false,
): EventState {
  const isGone = isExpected && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
  const name = 'what is known of hooks'
  const ready: SqliteOptions['ready'] = (db) => {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 2000; ${tables}`)
  }
  const db = new SqliteFile({ path, name, ready, save: saveAtRest, told })
  if (isGone) {
    db.exec("INSERT OR IGNORE INTO paused VALUES ('all')")
    told(`What was known of hooks is gone (${path}), and all hooks rest until you say: ${resume}`)
  }
  return { ...spendingIn(db), ...lettersIn(db), ...wordsIn(db), close: () => db.close() }
}

/** What hooks have spent. Times are milliseconds since 1970. */
interface Spending {
  /** Notes that a hook fires, before it does. */
  fire(hook: string, tier: string, at: number): void
  /** How often a hook has fired since then, and when last; null for never. */
  spent(hook: string, since: number): { count: number; last: number | null }
  /** How often all hooks of a tier have fired since then. */
  spentBy(tier: string, since: number): number
}

const counting = 'SELECT count(*) FILTER (WHERE at > ?) AS count, max(at) AS last FROM'

function spendingIn(db: Database): Spending {
  return {
    fire(hook, tier, at) {
      db.prepare('DELETE FROM firings WHERE at < ? OR at > ?').run(at - weekMs, at + weekMs)
      db.prepare('INSERT INTO firings VALUES (?, ?, ?)').run(hook, tier, at)
    },
    spent: (hook, since) =>
      countSchema.parse(db.prepare(`${counting} firings WHERE hook = ?`).get(since, hook)),
    spentBy: (tier, since) =>
      countSchema.parse(db.prepare(`${counting} firings WHERE tier = ?`).get(since, tier)).count,
  }
}

/** What came to nothing. */
interface Letters {
  /** Keeps it; the oldest go when there are two hundred. */
  bury(letter: Omit<Letter, 'tries' | 'state'>): void
  /** All of it, the oldest first. */
  letters(): Letter[]
  /** Removes letters, one or all; how many. */
  drop(id: string): number
  /** Marks dead letters, one or all, to be tried again; how many. */
  retry(id: string): number
  /** The letters to be tried again, each handed out once. */
  takeRetries(): Letter[]
}

function lettersIn(db: Database): Letters {
  const change = (sql: string, id: string) => Number(db.prepare(sql).run(id).changes)
  const letters = () => {
    const rows = db.prepare('SELECT * FROM letters ORDER BY at, id').all()
    return z.array(letterSchema).parse(rows)
  }
  return {
    letters,
    bury({ at, hook, id, reason, word }) {
      const sql = `INSERT INTO letters VALUES (?, ?, ?, ?, ?, 1, 'dead')
        ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, at = excluded.at, state = 'dead'`
      db.prepare(sql).run(id, hook, word, reason.slice(0, 1_000), at)
      const kept = 'SELECT id FROM letters ORDER BY at DESC LIMIT ?'
      db.prepare(`DELETE FROM letters WHERE id NOT IN (${kept})`).run(lettersMax)
    },
    drop: (id) => change("DELETE FROM letters WHERE ?1 = 'all' OR id = ?1", id),
    retry(id) {
      const isMeant = "state = 'dead' AND (?1 = 'all' OR id = ?1)"
      return change(`UPDATE letters SET state = 'retry' WHERE ${isMeant}`, id)
    },
    takeRetries() {
      const found = letters().filter(({ state }) => state === 'retry')
      const sql = "UPDATE letters SET state = 'dead', tries = tries + 1 WHERE id = ?"
      for (const { id } of found) change(sql, id)
      return found
    },
  }
}

/** What the owner has said about hooks, and what is shown. */
interface Words {
  /** Pauses a hook, or `all` of them, or lets it go on. */
  pause(hook: string, isPaused: boolean): void
  isPaused(hook: string): boolean
  /** The owner has allowed a hook that somebody else brought in. */
  allow(hook: string): void
  isAllowed(hook: string): boolean
  /** Remembers words that somebody else has brought in, wherever they turn up next. */
  suspect(words: string): void
  isSuspect(words: string): boolean
  /** Whether the owner was asked about a hook; it counts as asked from now on. */
  wasAsked(hook: string, at: number): boolean
  /** How often the owner was asked since then. */
  askedSince(at: number): number
  /** Replaces the list of hooks that people are shown. */
  list(hooks: readonly ListedHook[]): void
  /** The hooks as the daemon has listed them last. */
  listed(): ListedHook[]
}

function wordsIn(db: SqliteFile): Words {
  const has = (table: string, name: string) =>
    db.prepare(`SELECT 1 FROM ${table} WHERE hook = ?`).get(name) !== undefined
  const put = (table: string, name: string) =>
    void db.prepare(`INSERT OR IGNORE INTO ${table} VALUES (?)`).run(name)
  return {
    pause(hook, isPaused) {
      if (isPaused) put('paused', hook)
      else db.prepare('DELETE FROM paused WHERE hook = ?').run(hook)
    },
    isPaused(hook) {
      const found = db.prepare("SELECT 1 FROM paused WHERE hook IN ('all', ?)").get(hook)
      return found !== undefined
    },
    allow: (hook) => put('allowed', hook),
    isAllowed: (hook) => has('allowed', hook),
    suspect: (words) => put('suspects', words),
    isSuspect: (words) => has('suspects', words),
    wasAsked: (hook, at) =>
      db.prepare('INSERT OR IGNORE INTO asked VALUES (?, ?)').run(hook, at).changes === 0,
    askedSince: (at) => countSchema.parse(db.prepare(`${counting} asked`).get(at)).count,
    list(hooks) {
      db.transaction(() => {
        db.exec('DELETE FROM listed')
        const row = db.prepare('INSERT OR REPLACE INTO listed VALUES (?, ?)')
        for (const hook of hooks) row.run(hook.key, JSON.stringify(hook))
      })
    },
    listed: () => db.prepare('SELECT value FROM listed ORDER BY rowid').all().flatMap(readListed),
  }
}

function readListed({ value }: Record<string, unknown>): ListedHook[] {
  const read = listedSchema.safeParse(JSON.parse(String(value)))
  return read.success ? [read.data] : []
}
