import MiniSearch from 'minisearch'
import type { SearchShard } from '../pages/search-shard.ts'

/** One thing that can be found. */
export interface Entry {
  id: number
  kind: 'page' | 'section' | 'symbol'
  url: string
  /** What it is called: what is looked at first. */
  name: string
  /** Where it is. */
  where: string
  /** What a page says of itself. */
  about: string
  text: string
}

/** Everything that can be found on these pages. */
export function entriesOf(shards: readonly SearchShard[]): Entry[] {
  const entries: Omit<Entry, 'id'>[] = []
  for (const [page, title, description, sections] of shards) {
    for (const [slug, heading, text, names] of sections) {
      const isPage = slug === ''
      const url = isPage ? page : `${page}#${slug}`
      const [kind, where] = isPage ? (['page', ''] as const) : (['section', title] as const)
      entries.push({ kind, url, name: heading, where, about: isPage ? description : '', text })
      const place = isPage ? title : `${title} › ${heading}`
      for (const one of names) {
        const [name = '', at] = one.split('#')
        const there = at === undefined ? url : `${page}#${at}`
        entries.push({ kind: 'symbol', url: there, name, where: place, about: '', text: '' })
      }
    }
  }
  return entries.map((entry, id) => ({ ...entry, id }))
}

function partsOf(term: string): string[] {
  const whole = term.toLowerCase()
  const parts = term.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return parts.length < 2 ? [whole] : [whole, ...parts.map((part) => part.toLowerCase())]
}

const kindWeight = { page: 1.6, section: 1, symbol: 0.8 }

/** An index without entries, which are added by the caller, all at once or in steps. */
export function emptyIndex(): MiniSearch<Entry> {
  return new MiniSearch<Entry>({
    fields: ['name', 'where', 'about', 'text'],
    processTerm: partsOf,
    searchOptions: {
      boost: { name: 4, where: 0.5, about: 3 },
      boostDocument: (_id, _term, stored) => kindWeight[stored?.kind as Entry['kind']],
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      weights: { fuzzy: 0.2, prefix: 0.6 },
      processTerm: (term) => term.toLowerCase(),
    },
    storeFields: ['kind'],
  })
}

/** An entry that was found, with the words by which it was. */
export interface Hit {
  entry: Entry
  terms: readonly string[]
}

/** What is found for a query, the best first. */
export function rankedHits(
  index: MiniSearch<Entry>,
  entries: readonly Entry[],
  query: string,
): Hit[] {
  const typed = query.trim().toLowerCase()
  if (typed === '') return []
  const all = index.search(typed, { combineWith: 'AND' })
  const known = new Set<number>(all.map(({ id }) => id))
  const some = index.search(typed, { combineWith: 'OR' }).filter(({ id }) => !known.has(id))
  const isExact = ({ id, kind }: { id: number; kind?: string }) =>
    kind !== 'section' && `${entries[id]?.name.toLowerCase()}:`.startsWith(`${typed}:`)
  const found = [...all, ...some]
  const ranked = [...found.filter(isExact), ...found.filter((result) => !isExact(result))]
  return ranked.flatMap(({ id, queryTerms, terms }) => {
    const entry = entries[id]
    return entry === undefined ? [] : [{ entry, terms: [...new Set([...queryTerms, ...terms])] }]
  })
}
