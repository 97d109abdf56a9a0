import { headlines, type OrgData, parse } from 'org-ast'
import type { MemoryDatabase } from './database.ts'
import { type Version, versionHash } from './history.ts'

const tables = ['versions', 'changes', 'shapes', 'files', 'snapshots', 'snapshot_files'] as const

type Row = Record<string, string | number | null>

/** The whole memory as the text of an Org file, in pieces. */
export function* exportMemory({ connection }: MemoryDatabase): Generator<string> {
  yield '#+title: The memory of Passepartout\n'
  for (const table of tables) {
    yield `\n* ${table}\n#+begin_src json\n`
    for (const row of connection.prepare(`SELECT * FROM ${table}`).iterate()) {
      const said = table === 'files' ? { ...row, stamp: null } : row
      yield `${JSON.stringify(said)}\n`
    }
    yield '#+end_src\n'
  }
}

/** Reads an exported memory into this one. Throws a TypeError when it is none or was changed. */
export function importMemory({ connection }: MemoryDatabase, text: string): void {
  const tree = parse(text)
  const rows = tables.map((table) => rowsUnder(tree, table))
  for (const row of rows[0]!) checkVersion(row)
  connection.exec('BEGIN IMMEDIATE')
  try {
    const known = connection.prepare('SELECT DISTINCT id FROM changes').all()
    const had = new Set(known.map(({ id }) => id))
    for (const [at, table] of tables.entries()) {
      for (const row of rows[at]!) {
        if (table === 'changes' && had.has(row.id!)) continue
        const marks = Object.keys(row).map(() => '?')
        const names = Object.keys(row).join(', ')
        const sql = `INSERT OR IGNORE INTO ${table} (${names}) VALUES (${marks.join(', ')})`
        connection.prepare(sql).run(...Object.values(row))
      }
    }
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

function rowsUnder(tree: OrgData, table: string): Row[] {
  const section = headlines(tree).find(({ rawValue }) => rawValue === table)?.children[0]
  const elements = section?.type === 'section' ? section.children : []
  const block = elements.find((element) => element.type === 'src-block')
  if (block === undefined) throw new TypeError(`Expected a memory, and found no ${table} in it`)
  const rows: Row[] = block.value
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  for (const row of rows) {
    const odd = Object.keys(row).find((name) => !/^[a-z]+$/.test(name))
    if (odd !== undefined) throw new TypeError(`Expected a column, and found ${odd}`)
  }
  return rows
}

function checkVersion({ hash, facts, content }: Row): void {
  const version: Version = { ...JSON.parse(String(facts)), content: String(content) }
  if (versionHash(version) === hash) return
  throw new TypeError(`The version ${hash} is not what its name says`)
}
