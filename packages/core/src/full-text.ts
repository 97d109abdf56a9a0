import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { textHash } from './history.ts'

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
  /** Whether a note counts. */
  accept?(id: string, file: string): boolean
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

type Statements = Record<'known' | 'note' | 'text' | 'forget' | 'cut' | 'place', StatementSync>

function statementsOf(db: DatabaseSync): Statements {
  const marks = textFields.map(() => '?').join(', ')
  const statements = {
    known: db.prepare('SELECT row, id, digest FROM text_notes WHERE file = ?'),
    note: db.prepare('INSERT INTO text_notes (file, id, digest) VALUES (?, ?, ?)'),
    text: db.prepare(`INSERT INTO texts (rowid, ${textFields.join(', ')}) VALUES (?, ${marks})`),
    forget: db.prepare('DELETE FROM text_notes WHERE row = ?'),
    cut: db.prepare('DELETE FROM texts WHERE rowid = ?'),
    place: db.prepare('SELECT id, file FROM text_notes WHERE row = ?'),
  }
  const { note, text, forget, cut } = statements
  for (const statement of [note, text, forget, cut]) statement.setReadBigInts(true)
  return statements
}

/** The words of all notes. */
export class FullText {
  readonly #db: DatabaseSync
  readonly #do: Statements

  /** Uses a database, in which it makes its tables when they are missing. */
  constructor(db: DatabaseSync) {
    db.exec(schema)
    this.#db = db
    this.#do = statementsOf(db)
  }

  /** Puts these notes in place of those that the file had. Returns how many were written. */
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
      written++
    }
    for (const { row } of known.values()) this.#remove(Number(row))
    return written
  }

  #remove(row: number): void {
    this.#do.forget.run(row)
    this.#do.cut.run(row)
  }

  /** The notes that match, best first. */
  search(query: TextQuery): TextHit[] {
    const expression = matchExpression(query)
    const limit = query.limit ?? Number.POSITIVE_INFINITY
    const hits: TextHit[] = []
    if (expression === '' || limit <= 0) return hits
    for (const { row, score } of this.#ranked(query, expression)) {
      const { id, file } = this.#do.place.get(row) as { id: string; file: string }
      if (query.accept?.(id, file) === false) continue
      if (hits.push({ id, file, score }) >= limit) break
    }
    return hits
  }

  #ranked(query: TextQuery, expression: string): Iterable<{ row: number; score: number }> {
    const { accept, limit = -1 } = query
    const only = accept === undefined && Number.isFinite(limit) ? limit : -1
    const statement = this.#db.prepare(rankedSql(query))
    return statement.iterate(expression, only) as Iterable<{ row: number; score: number }>
  }

  /** The ids of all notes that match, without an order. */
  matches(query: TextQuery): Set<string> {
    const expression = matchExpression(query)
    if (expression === '') return new Set()
    const rows = this.#db.prepare(`SELECT id FROM text_notes
      WHERE row IN (SELECT rowid FROM texts WHERE texts MATCH ?)`)
    return new Set(rows.all(expression).map(({ id }) => String(id)))
  }
}

function rankedSql({ weights }: TextQuery): string {
  const all = { ...textWeights, ...weights }
  const rank = `bm25(texts, ${textFields.map((field) => Number(all[field])).join(', ')})`
  return `SELECT rowid AS row, -${rank} AS score FROM texts
    WHERE texts MATCH ? ORDER BY ${rank}, rowid LIMIT ?`
}

function fieldsOf({ title, tags, properties, path, body }: TextNote): string[] {
  return [title, tags.join(' '), properties, path.join(' / '), body].map(indexedText)
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
    const accept = (other: string) => other === id
    const [hit] = index.search({ terms: inField, match: 'any', accept, limit: 1 })
    if (hit !== undefined) scores[field] = hit.score
  }
  return scores
}
