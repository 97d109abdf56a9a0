import type { MemoryObject } from '../memory/memory-object.ts'
import { sightOf } from '../memory/private-view.ts'
import type { ObjectStore } from '../memory/store.ts'
import { type Language, languages } from './language.ts'
import { type Ranked, rankDocuments, type TermGroup } from './lexical.ts'
import { drawerPattern } from './note-fields.ts'
import { indexOfNotes, notesWith, readNoteIndexOf } from './note-index.ts'
import { type Field, fields, type LexicalIndex } from './postings.ts'
import { isPlain, termOf } from './terms.ts'

const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]\p{M}*/gu

/** Combining diacritics, Hebrew points and Arabic vowel signs. */
const accents = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u0652\u0670]/g

/** The text as it is compared: without accents, and with spaces where the script has none. */
function comparedText(text: string): string {
  if (isPlain(text)) return text
  const letters = text.normalize('NFKD').replace(accents, '').normalize('NFKC')
  return letters.replace(unspaced, ' $& ').replace(/[ßẞ]/g, 'ss')
}

/** One thing to find: words that stand in this order. */
interface TextTerm {
  words: string
  /** The last word may go on. */
  prefix?: boolean
  /** Only in this field. */
  field?: Field
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

const wordSign = String.raw`\p{L}\p{N}\p{M}\p{Co}`

interface Pattern {
  /** The words of it, as they are compared. */
  words: readonly string[]
  prefix: boolean
  fields: readonly Field[]
  plain: RegExp | null
  any: RegExp
}

function patternOf({ words: text, prefix = false, field }: TextTerm): Pattern {
  const words = comparedText(text).match(new RegExp(`[${wordSign}]+`, 'gu')) ?? []
  const pattern = (sign: string, flags: string) => {
    const phrase = words.map((word) => RegExp.escape(word)).join(`[^${sign}]+`)
    return new RegExp(`(?<![${sign}])${phrase}${prefix ? '' : `(?![${sign}])`}`, flags)
  }
  return {
    words,
    prefix,
    fields: field === undefined ? fields : [field],
    plain: words.every(isPlain) ? pattern('A-Za-z0-9', 'gi') : null,
    any: pattern(wordSign, 'giu'),
  }
}

function countIn(text: string, { any, plain }: Pattern): number {
  if (isPlain(text)) return plain === null ? 0 : (text.match(plain)?.length ?? 0)
  return comparedText(text).match(any)?.length ?? 0
}

function textIn(store: ObjectStore, object: MemoryObject, field: Field): string {
  switch (field) {
    case 'title':
      return object.title
    case 'tags':
      return object.tags.join(' ')
    case 'properties':
      return Object.values(object.attributes).join('\n')
    case 'path':
      return titlesAbove(store, object).join(' / ')
    case 'body':
      return bodyOf(object.content)
  }
}

const planningPattern = /^(?:[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):.*\n?)/

function bodyOf(content: string): string {
  const text = content.replace(planningPattern, '')
  return text.includes(':END:') || text.includes(':end:') ? text.replace(drawerPattern, '') : text
}

function titlesAbove(store: ObjectStore, { parent }: MemoryObject): string[] {
  const above = parent === null ? null : shownOf(store, parent)
  return above === null ? [] : [...titlesAbove(store, above), above.title]
}

function shownOf(store: ObjectStore, id: string): MemoryObject | null {
  const object = store.get(id)
  return object === null || object.private ? object : sightOf(store).shown(object)
}

/** A search for notes with all of these terms; no note has none. */
export class TextSearch {
  readonly #store: ObjectStore
  readonly #patterns: readonly Pattern[]
  readonly #known = new Map<string, boolean>()

  constructor(store: ObjectStore, terms: readonly TextTerm[]) {
    this.#store = store
    this.#patterns = terms.filter(({ words }) => hasWord(words)).map(patternOf)
  }

  /** The ids of the notes that can have the words; null when all have to be read. */
  candidates(): Set<string> | null {
    const index = readNoteIndexOf(this.#store)
    let least: Set<string> | null = null
    for (const { words, prefix } of index === null ? [] : this.#patterns) {
      for (const word of prefix ? words.slice(0, -1) : words) {
        const ids = notesWith(index!, word.toLowerCase())
        if (ids !== null && ids.size < (least?.size ?? Infinity)) least = ids
      }
    }
    return least
  }

  /** Whether a note has all of the terms. */
  holds(id: string): boolean {
    const known = this.#known.get(id)
    if (known !== undefined) return known
    const object = shownOf(this.#store, id)
    const isHit = object !== null && this.#patterns.length > 0 && this.#isIn(object)
    this.#known.set(id, isHit)
    return isHit
  }

  #isIn(object: MemoryObject): boolean {
    return this.#patterns.every((pattern) =>
      pattern.fields.some((field) => countIn(textIn(this.#store, object, field), pattern) > 0),
    )
  }

  /** The hits that are wanted, the best first, at least `limit` if there are so many; `ids` has them all. */
  ranked(ids: () => string[], isWanted: (id: string) => boolean, limit: number): Ranked[] {
    const index = readNoteIndexOf(this.#store)
    const isHit = (id: string) => isWanted(id) && this.holds(id)
    const all = index === null ? ids().filter(isHit) : null
    const parts = index === null ? [indexOf(this.#store, all!)] : [index.open, index.closed]
    const groups = groupsOf(this.#patterns, parts, index?.languages.names() ?? languages)
    const hits = rankDocuments(parts, groups, limit, isHit)
    if (hits.length >= limit) return hits
    const ranked = new Set(hits.map(({ key }) => key))
    const rest = (all ?? ids().filter(isHit)).filter((id) => !ranked.has(id))
    return [...hits, ...rest.map((key) => ({ key, score: 0 }))]
  }
}

function indexOf(store: ObjectStore, ids: readonly string[]): LexicalIndex {
  const notes = ids.map((id) => shownOf(store, id)!)
  return indexOfNotes(notes.map((object) => ({ object, above: titlesAbove(store, object) })))
}

function groupsOf(
  patterns: readonly Pattern[],
  parts: readonly LexicalIndex[],
  spoken: readonly Language[],
): TermGroup[] {
  const termsOf = (word: string) => spoken.map((language) => termOf(word, language))
  const beginning = (word: string) =>
    parts.flatMap(({ terms }) => [...terms.keys()].filter((term) => term.startsWith(word)))
  return patterns.flatMap(({ prefix, words }) =>
    words.map((word, at) => {
      const isBegun = prefix && at === words.length - 1
      const terms = new Set((isBegun ? beginning : termsOf)(word.toLowerCase()))
      return { word, variants: [...terms].filter(Boolean).map((term) => ({ term, weight: 1 })) }
    }),
  )
}

/** How often the words of these terms are in each field in which they are. */
export function explainText(
  store: ObjectStore,
  id: string,
  terms: readonly TextTerm[],
): Partial<Record<Field, number>> {
  const object = shownOf(store, id)
  const patterns = terms.filter(({ words }) => hasWord(words)).map(patternOf)
  const counts = (object === null ? [] : fields).map((field) => {
    const text = textIn(store, object!, field)
    const inField = patterns.filter(({ fields: given }) => given.includes(field))
    return [field, inField.reduce((sum, pattern) => sum + countIn(text, pattern), 0)] as const
  })
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}
