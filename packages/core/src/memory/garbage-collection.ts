import type { Database } from '../base/sqlite-access.ts'
import type { MemoryDatabase } from './database.ts'
import { packBody, versionsIn } from './version-packs.ts'

/** What is kept of a note's changes whatever their age, and for how many days the others. */
export const gcDefaults: { changes: number; days: number } = { changes: 50, days: 400 }

/** Removes what the policy lets go before `now`, in milliseconds; returns how many versions went. */
export function gc(
  database: MemoryDatabase,
  now: number,
  keep: typeof gcDefaults = gcDefaults,
): number {
  const { connection: db, packs } = database
  let count = 0
  db.transaction(() => {
    const before = now - keep.days * 86_400_000
    const { changes } = db
      .prepare(`DELETE FROM changes WHERE rowid IN (SELECT row FROM (SELECT rowid AS row, at,
        row_number() OVER (PARTITION BY id ORDER BY rowid DESC) AS number FROM changes)
        WHERE number > ? AND at < ?)`)
      .run(keep.changes, before)
    count = changes === 0 && !hasLoose(db) ? 0 : collect(db)
  })
  packs.forget()
  return count
}

/** Whether versions may have lost what led to them in another way than by their changes. */
function hasLoose(db: Database): boolean {
  const loose = `SELECT 1 FROM version_packs WHERE hash NOT IN
    (SELECT unhex(hash) FROM changes WHERE hash IS NOT NULL) LIMIT 1`
  return db.prepare(loose).get() !== undefined
}

function collect(db: Database): number {
  const live = liveVersions(db)
  const write = db.prepare('UPDATE packs SET versions = ? WHERE id = ?')
  const drop = db.prepare('DELETE FROM packs WHERE id = ?')
  const forget = db.prepare('DELETE FROM version_packs WHERE hash = ?')
  let count = 0
  for (const { id } of db.prepare('SELECT id FROM packs').all()) {
    const versions = versionsIn(packOf(db, Number(id)))
    const kept = versions.filter(({ hash }) => live.has(hash))
    if (kept.length === versions.length) continue
    for (const { hash } of versions) if (!live.has(hash)) forget.run(Buffer.from(hash, 'hex'))
    if (kept.length === 0) drop.run(Number(id))
    else write.run(packBody(kept), Number(id))
    count += versions.length - kept.length
  }
  return count
}

function packOf(db: Database, id: number): string {
  return String(db.prepare('SELECT versions FROM packs WHERE id = ?').get(id)?.versions)
}

function liveVersions(db: Database): Set<string> {
  const children = new Map<string, readonly string[]>()
  for (const { versions } of db.prepare('SELECT versions FROM packs').iterate()) {
    for (const version of versionsIn(String(versions))) children.set(version.hash, version.children)
  }
  const roots = db
    .prepare(`SELECT hash FROM files UNION SELECT hash FROM past
      UNION SELECT hash FROM changes WHERE hash IS NOT NULL`)
    .all()
  const ahead = roots.map(({ hash }) => String(hash))
  const live = new Set(ahead)
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    for (const child of children.get(next) ?? []) {
      if (live.has(child)) continue
      live.add(child)
      ahead.push(child)
    }
  }
  return live
}

/** Gives the room of what has gone back to the disk. */
export function compact({ connection }: MemoryDatabase): void {
  connection.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)')
}
