import { headlines, type OrgData, parse } from 'org-ast'
import { z } from 'zod'
import type { MemoryDatabase } from './database.ts'
import { type Version, versionHash } from './history.ts'

const tables = ['changes', 'shapes', 'files', 'past', 'snapshots'] as const

/** The whole memory as the text of an Org file, in pieces. */
export function* exportMemory({ connection, packs }: MemoryDatabase): Generator<string> {
  yield '#+title: The memory of Passepartout\n'
  yield* section('versions', packs.all())
  for (const table of tables) {
    const rows = connection.prepare(`SELECT * FROM ${table} ORDER BY rowid`).iterate()
    yield* section(table, rows)
  }
}

function* section(name: string, rows: Iterable<object>): Generator<string> {
  yield `\n* ${name}\n#+begin_src json\n`
  for (const row of rows) {
    const said = name === 'files' ? { ...row, stamp: null } : row
    yield `${JSON.stringify(said)}\n`
  }
  yield '#+end_src\n'
}

const text = z.string()
const number = z.int()

const versionSchema: z.ZodType<Version> = z.strictObject({
  hash: text,
  written: text.nullable(),
  type: z.enum(['file', 'headline']),
  head: text,
  title: text,
  attributes: z.record(text, text),
  content: text,
  level: number,
  todo: text.nullable(),
  done: z.boolean(),
  priority: text.nullable(),
  tags: z.array(text),
  scheduled: text.nullable(),
  deadline: text.nullable(),
  closed: text.nullable(),
  commented: z.boolean().exactOptional(),
  children: z.array(text),
})

type Row = Record<string, string | number | null>

const recordSchemas: Record<(typeof tables)[number], z.ZodType<Row>> = {
  changes: z.strictObject({
    id: text,
    at: number,
    hash: text.nullable(),
    author: text,
    signal: text.nullable(),
    outside: number,
    file: text,
  }),
  shapes: z.strictObject({ id: number, ids: text, outline: text }),
  files: z.strictObject({
    path: text,
    stamp: z.null(),
    hash: text,
    shape: number,
    since: number,
  }),
  past: z.strictObject({
    path: text,
    hash: text,
    shape: number,
    since: number,
    until: number,
  }),
  snapshots: z.strictObject({
    id: number,
    name: text.nullable(),
    at: number,
    seq: number,
    entry: text.nullable(),
    undo: text.nullable(),
  }),
}

/** Reads an exported memory into this one. Throws a TypeError when it is none or was changed. */
export function importMemory({ connection, packs }: MemoryDatabase, exported: string): void {
  const tree = parse(exported)
  const versions = rowsUnder(tree, 'versions').map((row) => checkedVersion(row))
  const rows = tables.map((table) =>
    rowsUnder(tree, table).map((row) => checkedRecord<Row>(recordSchemas[table], row, table)),
  )
  const known = connection.prepare('SELECT DISTINCT id FROM changes').all()
  const had = new Set(known.map(({ id }) => id))
  const isEmpty = connection.prepare('SELECT 1 FROM files LIMIT 1').get() === undefined
  connection.transaction(() => {
    packs.put(versions)
    for (const [at, table] of tables.entries()) {
      if (table !== 'changes' && !isEmpty) continue
      for (const row of rows[at]!) {
        if (table === 'changes' && had.has(row.id!)) continue
        const names = Object.keys(row)
        const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
        connection.prepare(sql).run(...Object.values(row))
      }
    }
    if (isEmpty) {
      connection.exec(`INSERT OR REPLACE INTO state SELECT 'seq', max(
        ifnull((SELECT max(since) FROM files), 0), ifnull((SELECT max(until) FROM past), 0))`)
    }
  })
}

function checkedRecord<T>(schema: z.ZodType<T>, row: unknown, table: string): T {
  const found = schema.safeParse(row)
  if (found.success) return found.data
  const [issue] = found.error.issues
  throw new TypeError(`Expected a record of ${table}: ${issue?.path.join('.')} ${issue?.message}`)
}

function rowsUnder(tree: OrgData, table: string): unknown[] {
  const section = headlines(tree).find(({ rawValue }) => rawValue === table)?.children[0]
  const elements = section?.type === 'section' ? section.children : []
  const block = elements.find((element) => element.type === 'src-block')
  if (block === undefined) throw new TypeError(`Expected a memory, and found no ${table} in it`)
  const lines = block.value.split('\n').filter(Boolean)
  try {
    return lines.map((line) => JSON.parse(line))
  } catch {
    throw new TypeError(`Expected a record on each line of ${table}`)
  }
}

function checkedVersion(row: unknown): Version {
  const version = checkedRecord(versionSchema, row, 'versions')
  if (versionHash(version) === version.hash) return version
  throw new TypeError(`The version ${version.hash} is not what its name says`)
}
