import {
  type ConfigSection,
  defineSection,
  oneOf,
  SqliteFile,
  type SqliteOptions,
  saveRows,
  whole,
} from '@passepartout/core'
import { z } from 'zod'

/** The kinds of repairs that can be allowed. */
export const repairKinds = ['links', 'ids', 'archive'] as const

/** One of them. */
export type RepairKind = (typeof repairKinds)[number]

/** What the owner lets the archivist do. */
export interface ArchivistSettings {
  isOn: boolean
  /** What is repaired without a question. */
  automatic: readonly RepairKind[]
  /** In days; 0 for never. */
  archiveAfter: number
  staleAfter: number
  scribe: 'yes' | 'no' | 'model'
}

/** What is right for most. */
export const archivistDefaults: ArchivistSettings = {
  isOn: true,
  automatic: [],
  archiveAfter: 60,
  staleAfter: 90,
  scribe: 'yes',
}

const kinds = z.string().transform((text, context): RepairKind[] => {
  const given = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((word) => word !== '')
  const known = given.filter((word): word is RepairKind =>
    repairKinds.some((kind) => kind === word),
  )
  if (known.length === given.length) return known
  context.addIssue({ code: 'custom', message: `some of ${repairKinds.join(', ')}` })
  return z.NEVER
})

/** The section of the configuration about the archivist. */
export const archivistSection: ConfigSection<ArchivistSettings> = defineSection({
  marker: 'ARCHIVIST',
  properties: z.object({
    ARCHIVIST: oneOf('yes', 'no'),
    AUTOMATIC: kinds.default([]),
    ARCHIVE_AFTER: whole(0, 100_000).default(archivistDefaults.archiveAfter),
    STALE_AFTER: whole(0, 100_000).default(archivistDefaults.staleAfter),
    SCRIBE: oneOf('yes', 'no', 'model').default('yes'),
  }),
  read: (values) => ({
    isOn: values.ARCHIVIST === 'yes',
    automatic: values.AUTOMATIC,
    archiveAfter: values.ARCHIVE_AFTER,
    staleAfter: values.STALE_AFTER,
    scribe: values.SCRIBE,
  }),
})

/** What was proposed, and when; times are milliseconds since 1970. */
export interface Proposals {
  /** Whether it was proposed after this moment. */
  was(key: string, since: number): boolean
  /** Notes that it is proposed. */
  note(key: string, at: number): void
  close(): void
}

const keptMs = 400 * 86_400_000

/** Opens the list, and makes it when there is none; `told` gets a sentence when it had to be mended. Throws a DatabaseError. */
export function openProposals(
  path: string,
  told: (sentence: string) => void = () => {},
): Proposals {
  const table = 'CREATE TABLE IF NOT EXISTS proposed (key TEXT PRIMARY KEY, at INTEGER)'
  const ready: SqliteOptions['ready'] = (db) => {
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 2000; ${table}`)
  }
  const name = 'the list of proposals'
  const db = new SqliteFile({ path, name, ready, save: saveRows, told })
  const found = db.prepare('SELECT 1 FROM proposed WHERE key = ? AND at > ?')
  return {
    was: (key, since) => found.get(key, since) !== undefined,
    note(key, at) {
      db.prepare('DELETE FROM proposed WHERE at < ?').run(at - keptMs)
      db.prepare('INSERT OR REPLACE INTO proposed VALUES (?, ?)').run(key, at)
    },
    close: () => db.close(),
  }
}
