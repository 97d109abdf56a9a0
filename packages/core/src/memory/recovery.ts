import type { DatabaseSync } from 'node:sqlite'
import type { SqliteFile } from '../base/sqlite.ts'
import type { Row } from '../base/sqlite-access.ts'
import { rowsOf } from '../base/sqlite-rescue.ts'
import { type Version, versionHash } from './history.ts'
import { unpackShape } from './tables.ts'
import { Packs, versionsIn } from './version-packs.ts'
import { holdingOf, shortfall, type Witness } from './witness.ts'

/** The versions that can be read and are what their names say; `saved` learns the names. */
function* soundVersions(db: DatabaseSync, saved: Set<string>): Generator<Version> {
  for (const { versions } of rowsOf(db, 'packs')) {
    try {
      for (const version of versionsIn(String(versions))) {
        const { hash, ...said } = version
        if (versionHash(said) !== hash) continue
        saved.add(hash)
        yield version
      }
    } catch {
      // A pack that is no JSON any more.
    }
  }
}

function isWhole({ ids, outline }: Row, saved: ReadonlySet<string>): boolean {
  try {
    const entries = unpackShape(JSON.parse(String(ids)), String(outline))
    return entries.every(({ hash }) => saved.has(hash))
  } catch {
    return false
  }
}

/** What was taken over. */
interface Salvaged {
  /** What to say of it. */
  said: string
  isWhole: boolean
}

/** Puts what can be read of a damaged memory into a new one; the witness knows what should be in it. */
export function salvage(
  damaged: DatabaseSync,
  file: SqliteFile,
  witness: Witness | null = null,
): Salvaged {
  const saved = new Set<string>()
  const snapshots = { kept: 0, lost: 0 }
  const gaps = { count: 0 }
  file.transaction(() => {
    new Packs(file).put(soundVersions(damaged, saved))
    copy(damaged, file, 'changes', gaps)
    copy(damaged, file, 'state', gaps, (row) => row.name !== 'closed')
    const whole = new Set<unknown>()
    for (const row of rowsOf(damaged, 'shapes')) {
      if (isWhole(row, saved)) whole.add(row.id)
    }
    const lost = copyFiles(damaged, file, whole)
    copy(damaged, file, 'shapes', gaps, ({ id }) => whole.has(id))
    for (const { number, ...row } of rowsOf(damaged, 'snapshots')) {
      const isLost = lost.some(
        ({ since, until }) => since <= Number(row.seq) && Number(row.seq) < until,
      )
      if (!isLost) insert(file, 'snapshots', row)
      if (row.name !== null) snapshots[isLost ? 'lost' : 'kept']++
    }
    file.exec(`INSERT OR REPLACE INTO state SELECT 'seq', max(
      ifnull((SELECT value FROM state WHERE name = 'seq'), 0), ifnull((SELECT max(since) FROM files), 0),
      ifnull((SELECT max(until) FROM past), 0), ifnull((SELECT max(seq) FROM snapshots), 0))`)
  })
  const missing = witness === null ? null : shortfall(witness, holdingOf(file))
  return sayWhat(file, saved.size, { ...snapshots, gaps: gaps.count, missing })
}

/** The rows of which every shape is whole; returns the commits of which a file is lost. */
function copyFiles(
  damaged: DatabaseSync,
  file: SqliteFile,
  whole: ReadonlySet<unknown>,
): { since: number; until: number }[] {
  const gaps = { count: 0 }
  const lost: { since: number; until: number }[] = []
  for (const table of ['files', 'past']) {
    for (const { number, ...row } of rowsOf(damaged, table, gaps)) {
      if (whole.has(row.shape))
        insert(file, table, table === 'files' ? { ...row, stamp: null } : row)
      else lost.push({ since: Number(row.since), until: Number(row.until ?? Infinity) })
    }
  }
  return gaps.count === 0 ? lost : [{ since: -Infinity, until: Infinity }]
}

function copy(
  damaged: DatabaseSync,
  file: SqliteFile,
  table: string,
  gaps: { count: number },
  isWanted: (row: Row) => boolean = () => true,
): void {
  for (const { number, ...row } of rowsOf(damaged, table, gaps)) {
    if (isWanted(row)) insert(file, table, row)
  }
}

function insert(file: SqliteFile, table: string, row: Row): void {
  const columns = Object.keys(row)
  const places = columns.map(() => '?').join(', ')
  const into = `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${places})`
  file.prepare(into).run(...Object.values(row))
}

function sayWhat(
  file: SqliteFile,
  saved: number,
  {
    gaps,
    kept,
    lost: without,
    missing,
  }: { kept: number; lost: number; gaps: number; missing: string | null },
): Salvaged {
  const named = `SELECT count(DISTINCT hash) AS count FROM changes
    WHERE hash IS NOT NULL AND unhex(hash) NOT IN (SELECT hash FROM version_packs)`
  const lost = Number(file.prepare(named).get()?.count ?? 0)
  const losses = [
    ...(lost > 0 ? [`${lost} versions`] : []),
    ...(missing === null && without > 0 ? [`${without} of ${kept + without} snapshots`] : []),
    ...(missing === null ? [] : [missing]),
    ...(lost + without === 0 && gaps > 0 ? ['some of their history'] : []),
  ]
  const loss = losses.length === 0 ? '' : `; ${losses.join(' and ')} could not be read`
  const said = `${saved} versions of notes were saved${loss}; the notes themselves are as they were`
  return { said, isWhole: losses.length === 0 }
}
