import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  Embeddings,
  type MemoryObject,
  ObjectStore,
  retrieve,
  retrieveHybrid,
  trigramBackend,
} from '@passepartout/core'
import { type LabelledQuery, licenceQueries, memexQueries } from './retrieval-queries.ts'

/** Notes and questions to them. */
interface Collection {
  name: string
  store: ObjectStore
  queries: { query: string; gold: string[] }[]
}

function storeOf(folder: string): ObjectStore {
  const store = new ObjectStore()
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const name of names.filter((each) => each.endsWith('.org')).sort()) {
    store.ingestFile(name, readFileSync(join(folder, name), 'utf8'))
  }
  return store
}

function licenceStore(text: string): ObjectStore {
  const lines = text.split('\n').map((line) => {
    const isSection = /^ {2}\d+\. [A-Z]/.test(line) || /^ +Preamble$/.test(line)
    return isSection ? `* ${line.trim()}` : line.trim().replace(/^\*/, '-')
  })
  const store = new ObjectStore()
  store.ingestFile('licence.org', lines.join('\n'))
  return store
}

function withIds(store: ObjectStore, queries: readonly LabelledQuery[]): Collection['queries'] {
  const named = new Map<string, MemoryObject[]>()
  for (const object of store.objects()) {
    if (object.type !== 'headline') continue
    const name = `${basename(object.file, '.org')} ${object.title}`
    named.set(name, [...(named.get(name) ?? []), object])
  }
  return queries.map(({ query, gold }) => ({
    query,
    gold: gold.map(({ file, title }) => {
      const found = named.get(`${file} ${title}`) ?? []
      if (found.length === 0) throw new RangeError(`No note is called “${file} ${title}”`)
      return found[0]!.id
    }),
  }))
}

/** The two collections that are here. */
export function collections(root: string): Collection[] {
  const memex = storeOf(join(root, 'test/memex'))
  const text = readFileSync(join(root, 'LICENSES/AGPL-3.0-or-later.txt'), 'utf8')
  const licence = licenceStore(text)
  return [
    { name: 'memex', store: memex, queries: withIds(memex, memexQueries) },
    { name: 'licence', store: licence, queries: withIds(licence, licenceQueries) },
  ]
}

/** How good a list of ids is, each from 0 to 1. */
interface Quality {
  recall5: number
  recall10: number
  ndcg10: number
}

/** The quality of one list. */
export function qualityOf(found: readonly string[], gold: readonly string[]): Quality {
  const recall = (limit: number) => {
    const hits = found.slice(0, limit).filter((id) => gold.includes(id)).length
    return hits / Math.min(limit, gold.length)
  }
  const gain = (at: number) => 1 / Math.log2(at + 2)
  const ideal = [...gold.slice(0, 10).keys()].reduce((sum, at) => sum + gain(at), 0)
  const got = found
    .slice(0, 10)
    .reduce((sum, id, at) => sum + (gold.includes(id) ? gain(at) : 0), 0)
  return { recall5: recall(5), recall10: recall(10), ndcg10: got / ideal }
}

type Way = (query: string) => Promise<string[]>

/** The mean quality of a way to look, and the questions of which it misses all in ten. */
export async function measure(
  { queries }: Collection,
  way: Way,
): Promise<Quality & { missed: string[] }> {
  const sum: Quality = { recall5: 0, recall10: 0, ndcg10: 0 }
  const missed: string[] = []
  for (const { query, gold } of queries) {
    const quality = qualityOf(await way(query), gold)
    for (const name of ['recall5', 'recall10', 'ndcg10'] as const) {
      sum[name] += quality[name] / queries.length
    }
    if (quality.recall5 < 1) missed.push(`${quality.recall5.toFixed(2)} ${query}`)
  }
  return { ...sum, missed }
}

/** Words, trigrams, and all together. */
export async function waysOf(store: ObjectStore): Promise<Record<string, Way>> {
  const clock = { now: () => new Date(0) }
  const embeddings = new Embeddings({ store, backend: trigramBackend, clock })
  await embeddings.wake()
  const within = ({ type }: MemoryObject) => type === 'headline'
  const ids = (hits: readonly { object: MemoryObject }[]) => hits.map(({ object }) => object.id)
  return {
    words: async (query) => {
      const hits = retrieve(store, query, { within, limit: 100 })
      const ranked = hits.filter(({ ranks }) => ranks.words !== undefined)
      return ids(ranked.sort((a, b) => a.ranks.words! - b.ranks.words!))
    },
    trigrams: (query) => embeddings.similar(query, { within, limit: 10 }),
    hybrid: async (query) => ids(retrieve(store, query, { within })),
    'hybrid + trigrams': async (query) =>
      ids(await retrieveHybrid(store, embeddings, query, { within })),
  }
}

function collectionIn(folder: string): Collection {
  const store = storeOf(folder)
  const byTitle = new Map([...store.objects()].map(({ id, title }) => [title, id]))
  const lines = readFileSync(join(folder, 'queries.tsv'), 'utf8').trim().split('\n')
  const queries = lines.map((line) => {
    const [query = '', gold = ''] = line.split('\t')
    const ids = gold.split('|').map((label) => byTitle.get(label.trim()) ?? label.trim())
    return { query, gold: ids }
  })
  return { name: basename(folder), store, queries }
}

/** Prints the table; with `isTold` also the questions that were not answered in full. */
async function report(folders: readonly string[], isTold: boolean): Promise<void> {
  const all = [...collections(join(import.meta.dirname, '../..')), ...folders.map(collectionIn)]
  console.log('| collection | queries | way | recall@5 | recall@10 | nDCG@10 |')
  for (const collection of all) {
    for (const [name, way] of Object.entries(await waysOf(collection.store))) {
      const { recall5, recall10, ndcg10, missed } = await measure(collection, way)
      const figures = [recall5, recall10, ndcg10].map((value) => value.toFixed(3)).join(' | ')
      console.log(`| ${collection.name} | ${collection.queries.length} | ${name} | ${figures} |`)
      if (isTold && name === 'hybrid') console.log(missed.map((line) => `  ${line}`).join('\n'))
    }
  }
}

if (import.meta.main) {
  const folders = process.argv.slice(2).filter((name) => existsSync(join(name, 'queries.tsv')))
  await report(folders, process.argv.includes('--missed'))
}
