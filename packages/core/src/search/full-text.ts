import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { textHash } from '../memory/history.ts'

/** The fields of a note, in the order of the index. */
export const textFields = ['title', 'tags', 'properties', 'path', 'body'] as const
export type TextField = (typeof textFields)[number]

/** What is searched of one note. */
export interface TextNote {
  id: string
  title: string
  tags: readonly string[]
  /** Values of the properties, in one text. */
  properties: string
  /** The titles above it, outermost first. */
  path: readonly string[]
  body: string
}

/** One thing to find: words that stand in this order. */
export interface TextTerm {
  words: string
  /** The last word may go on. */
  prefix?: boolean
  /** Only in this field. */
  field?: TextField
}

/** A search; `any` instead of `all` to rank what has some of the terms. */
export interface TextQuery {
  terms: readonly TextTerm[]
  match?: 'all' | 'any'
  /** How many hits at most; all without it. */
  limit?: number
  weights?: Partial<Record<TextField, number>>
  /** Only these ids count; a small set makes the search a quick one. */
  among?: ReadonlySet<string>
  /** Whether a note counts. */
  accept?: (id: string, file: string) => boolean
}

/** A note that was found. A higher score is a better one; scores of two searches do not compare. */
export interface TextHit {
  id: string
  file: string
  score: number
}

/** What a word counts in each field. */
export const textWeights: Record<TextField, number> = {
  title: 8,
  tags: 4,
  properties: 2,
  path: 2,
  body: 1,
}

const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]\p{M}*/gu

/** Combining diacritics, Hebrew points and Arabic vowel signs. */
const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u0652\u0670]/g

/** The text as the index reads it: without accents, and with spaces where the script has none. */
export function indexedText(text: string): string {
  if (isAscii(text)) return text
  const letters = text.normalize('NFKD').replace(accents, '').normalize('NFKC')
  return letters.replace(unspaced, ' $& ').replace(/[ßẞ]/g, 'ss')
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false
  return true
}

/** The terms that a person typed: words, `"phrases"`, and `begin*`. Never throws. */
export function textTerms(input: string): TextTerm[] {
  const terms: TextTerm[] = []
  for (const [, phrase, word = ''] of input.matchAll(/"([^"]*)(?:"|$)|([^\s"]+)/g)) {
    const words = phrase ?? word.replace(/\*+$/, '')
    if (!hasWord(words)) continue
    terms.push({ words, ...(phrase === undefined && word.endsWith('*') ? { prefix: true } : {}) })
  }
  return terms
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}]/u.test(text)
}

function matchExpression({ terms, match }: TextQuery): string {
  const parts = terms
    .filter(({ words }) => hasWord(words))
    .map(({ words, prefix, field }) => {
      const text = indexedText(words).replaceAll('\0', ' ').replaceAll('"', '""')
      return `${field === undefined ? '' : `${field} : `}"${text}"${prefix ? ' *' : ''}`
    })
  return parts.join(match === 'any' ? ' OR ' : ' AND ')
}

const schema = `
  CREATE TABLE IF NOT EXISTS text_notes (row INTEGER PRIMARY KEY, file TEXT NOT NULL,
    id TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE (file, id));
  CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(${textFields.join(', ')},
    content = '', contentless_delete = 1, prefix = '2 3',
    tokenize = "unicode61 remove_diacritics 2");`

function statementsOf(
  db: DatabaseSync,
): Record<'known' | 'note' | 'text' | 'forget' | 'cut', StatementSync> {
  const marks = textFields.map(() => '?').join(', ')
  const known = db.prepare('SELECT row, id, digest FROM text_notes WHERE file = ?')
  const statements = {
    note: db.prepare('INSERT INTO text_notes (file, id, digest) VALUES (?, ?, ?)'),
    text: db.prepare(`INSERT INTO texts (rowid, ${textFields.join(', ')}) VALUES (?, ${marks})`),
    forget: db.prepare('DELETE FROM text_notes WHERE row = ?'),
    cut: db.prepare('DELETE FROM texts WHERE rowid = ?'),
  }
  for (const statement of Object.values(statements)) statement.setReadBigInts(true)
  return { known, ...statements }
}

interface Place {
  id: string
  file: string
}

class Rows {
  readonly places = new Map<number, Place>()
  readonly #rows = new Map<string, number[]>()

  add(row: number, place: Place): void {
    this.places.set(row, place)
    this.#rows.set(place.id, [...this.ofNote(place.id), row])
  }

  remove(row: number): void {
    const id = this.places.get(row)?.id ?? ''
    const left = this.ofNote(id).filter((other) => other !== row)
    if (left.length === 0) this.#rows.delete(id)
    else this.#rows.set(id, left)
    this.places.delete(row)
  }

  ofNote(id: string): readonly number[] {
    return this.#rows.get(id) ?? []
  }
}

class TextTable {
  readonly rows = new Rows()
  readonly #do: ReturnType<typeof statementsOf>

  constructor(db: DatabaseSync) {
    db.exec(schema)
    this.#do = statementsOf(db)
    for (const { row, id, file } of db.prepare('SELECT row, id, file FROM text_notes').all()) {
      this.rows.add(Number(row), { id: String(id), file: String(file) })
    }
  }

  update(file: string, notes: readonly TextNote[]): number {
    const known = new Map(this.#do.known.all(file).map((row) => [String(row.id), row]))
    let written = 0
    for (const note of notes) {
      const fields = fieldsOf(note)
      const digest = textHash(fields.join('\0')).slice(0, 24)
      const old = known.get(note.id)
      known.delete(note.id)
      if (old?.digest === digest) continue
      if (old !== undefined) this.#remove(Number(old.row))
      const { lastInsertRowid: row } = this.#do.note.run(file, note.id, digest)
      this.#do.text.run(row, ...fields)
      this.rows.add(Number(row), { id: note.id, file })
      written++
    }
    for (const { row } of known.values()) this.#remove(Number(row))
    return written
  }

  #remove(row: number): void {
    this.#do.forget.run(row)
    this.#do.cut.run(row)
    this.rows.remove(row)
  }
}

function fieldsOf({ title, tags, properties, path, body }: TextNote): string[] {
  return [title, tags.join(' '), properties, path.join(' / '), body].map(indexedText)
}

const manyNotes = 4_000

/** The words of all notes. */
export class FullText {
  readonly #db: DatabaseSync
  readonly #table: TextTable

  /** Uses a database, in which it makes its tables when they are missing. */
  constructor(db: DatabaseSync) {
    this.#db = db
    this.#table = new TextTable(db)
  }

  /** Puts these notes in place of those that the file had. Returns how many were written. */
  update(file: string, notes: readonly TextNote[]): number {
    return this.#table.update(file, notes)
  }

  /** The notes that match, best first. */
  search(query: TextQuery): TextHit[] {
    const expression = matchExpression(query)
    const { limit = Number.POSITIVE_INFINITY } = query
    if (expression === '' || limit <= 0) return []
    if (limit < 1_000 && query.among === undefined && this.#isCommon(expression)) {
      const inShort = `{title tags properties path} : (${expression})`
      const hits = this.#ranked(query, inShort, limit)
      if (hits.length >= limit) return hits
    }
    return this.#ranked(query, expression, limit)
  }

  #isCommon(expression: string): boolean {
    if (this.#table.rows.places.size <= manyNotes) return false
    const count = this.#db.prepare(`SELECT count(*) AS count FROM
      (SELECT rowid FROM texts WHERE texts MATCH ? LIMIT ?)`)
    return count.get(expression, manyNotes)?.count === manyNotes
  }

  #ranked({ among, accept, weights }: TextQuery, expression: string, limit: number): TextHit[] {
    const { rows } = this.#table
    const wanted = among && [...among].flatMap((id) => rows.ofNote(id))
    const only = accept === undefined && Number.isFinite(limit) ? limit : -1
    const statement = this.#db.prepare(rankedSql(weights, wanted !== undefined))
    const hits: TextHit[] = []
    for (const { row, score } of statement.iterate(
      expression,
      JSON.stringify(wanted ?? []),
      only,
    )) {
      const { id, file } = rows.places.get(Number(row))!
      if (accept?.(id, file) === false) continue
      if (hits.push({ id, file, score: Number(score) }) >= limit) break
    }
    return hits
  }

  /** The ids of all notes that match, without an order. */
  matches(query: TextQuery): Set<string> {
    const expression = matchExpression(query)
    if (expression === '') return new Set()
    const { places } = this.#table.rows
    const rows = this.#db.prepare('SELECT rowid AS row FROM texts WHERE texts MATCH ?')
    return new Set(rows.all(expression).map(({ row }) => places.get(Number(row))!.id))
  }
}

function rankedSql(weights: TextQuery['weights'], isWithin: boolean): string {
  const all = { ...textWeights, ...weights }
  const rank = `bm25(texts, ${textFields.map((field) => Number(all[field])).join(', ')})`
  const within = isWithin ? '+rowid IN (SELECT value FROM json_each(?))' : `'[]' = ?`
  return `SELECT rowid AS row, -${rank} AS score FROM texts
    WHERE texts MATCH ? AND ${within} ORDER BY ${rank}, rowid LIMIT ?`
}

/** For each field in which a note matches, its score by that field alone. */
export function explainText(
  index: FullText,
  id: string,
  query: TextQuery,
): Partial<Record<TextField, number>> {
  const scores: Partial<Record<TextField, number>> = {}
  for (const field of textFields) {
    const terms = query.terms.filter((term) => (term.field ?? field) === field)
    const inField = terms.map((term) => ({ ...term, field }))
    const [hit] = index.search({ terms: inField, match: 'any', among: new Set([id]), limit: 1 })
    if (hit !== undefined) scores[field] = hit.score
  }
  return scores
}
