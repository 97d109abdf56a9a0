import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Headline, headlines, parse, properties } from 'org-ast'
import type { TraceVerdict } from './trace.ts'

/** A record, read back. */
export interface ReadRecord {
  kind: string
  fields: Record<string, string>
  text: string | undefined
  verdicts: TraceVerdict[]
}

/** The entry of one signal. */
export interface TraceEntry {
  id: string
  /** Of the entry: time, sensor, source, session, origin, depth, cause. */
  fields: Record<string, string>
  records: ReadRecord[]
  /** Whether the daemon came to the end of it. */
  complete: boolean
}

/** The entries of a journal, in its order. Never throws. */
export function readTrace(text: string): TraceEntry[] {
  const entries: TraceEntry[] = []
  let entry: TraceEntry | undefined
  for (const headline of headlines(parse(text))) {
    const fields = Object.fromEntries(
      properties(headline).map(({ key, value }) => [key.toLowerCase(), value]),
    )
    if (headline.level === 1) {
      const known = fields.continues === 't' ? entries.find(({ id }) => id === fields.id) : null
      entry = known ?? { id: fields.id ?? '', fields, records: [], complete: false }
      if (entry !== known) entries.push(entry)
    } else entry?.records.push({ kind: headline.rawValue, fields, ...bodyOf(headline, text) })
  }
  for (const each of entries) each.complete = each.records.at(-1)?.kind === 'done'
  return entries
}

function bodyOf(headline: Headline, text: string): Pick<ReadRecord, 'text' | 'verdicts'> {
  let found: string | undefined
  const verdicts: TraceVerdict[] = []
  const section = headline.children[0]
  if (section?.type !== 'section') return { text: found, verdicts }
  for (const element of section.children) {
    if (element.type === 'example-block') found ??= element.value.replace(/\n$|\u200b/g, '')
    if (element.type !== 'table') continue
    const rows = element.children.filter(({ rowType }) => rowType === 'standard').slice(1)
    for (const { position } of rows) {
      const verdict = verdictOf(text.slice(position.start.offset, position.end.offset))
      if (verdict !== null) verdicts.push(verdict)
    }
  }
  return { text: found, verdicts }
}

function verdictOf(row: string): TraceVerdict | null {
  const cells = row.split('|').slice(1, -1)
  const [gate, verdict, rule, micros, reason] = cells.map((cell) =>
    cell.trim().replaceAll('\\vert{}', '|'),
  )
  if (gate === undefined || verdict === undefined || reason === undefined) return null
  return { gate, verdict, rule: rule ?? '', micros: Number(micros) || 0, reason }
}

/** Where the journal of a daemon with this state directory is. */
export function traceFolder(stateDir: string): string {
  return join(stateDir, 'trace')
}

/** The days that there are journals of, oldest first; empty when there is no folder. */
export function traceDays(dir: string): string[] {
  try {
    const days = readdirSync(dir).flatMap(
      (name) => /^(\d{4}-\d\d-\d\d)\.org$/.exec(name)?.[1] ?? [],
    )
    return days.sort()
  } catch {
    return []
  }
}

/** The entries of a day; empty when there is no journal of it. */
export function readTraceDay(dir: string, day: string): TraceEntry[] {
  try {
    return readTrace(readFileSync(join(dir, `${day}.org`), 'utf8'))
  } catch {
    return []
  }
}

/** The entry with this id, or the last that decided something; null when there is none. */
export function findEntry(dir: string, id?: string): TraceEntry | null {
  if (id !== undefined) {
    const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)T[\d-]+$/.exec(id) ?? []
    const entries = readTraceDay(dir, `${year}-${month}-${day}`)
    return entries.find((entry) => entry.id === id) ?? null
  }
  for (const known of traceDays(dir).reverse()) {
    const found = readTraceDay(dir, known).findLast(isDecision)
    if (found !== undefined) return found
  }
  return null
}

function isDecision({ records }: TraceEntry): boolean {
  return records.some(({ kind }) => kind === 'verdict' || kind === 'approval' || kind === 'error')
}
