import { z } from 'zod'
import { dayNumber, repeatsWithin } from '../base/day.ts'
import type { Provenance } from '../contract/signal.ts'
import type { NoteDate, NoteFacts } from '../memory/facts.ts'
import { TextSearch, textTerms } from './full-text.ts'
import { backlinks, brokenLinks, byPlace, type Indexes, isOrphan, linksFrom } from './indexes.ts'
import { type Field, fields } from './postings.ts'

type States =
  | 'orphan'
  | 'broken'
  | 'private'
  | 'commented'
  | 'dated'
  | 'linking'
  | 'diary'
  | 'outside'
type DateKinds = 'active' | 'scheduled' | 'deadline' | 'closed' | 'event' | 'inactive'

/** One condition. */
type Leaf =
  | { kind: 'id'; id: string }
  | { kind: 'type'; type: 'file' | 'headline' }
  | { kind: 'file'; file: string }
  | { kind: 'tag'; tag: string; inherit?: boolean | undefined }
  | { kind: 'todo'; todo: string }
  | { kind: 'priority'; priority: string }
  | { kind: 'property'; name: string; value?: string | undefined; inherit?: boolean | undefined }
  | { kind: 'date'; dates: DateKinds; from?: string | undefined; to?: string | undefined }
  | { kind: 'under'; path: readonly string[] }
  | { kind: 'text'; text: string; field?: Field | undefined }
  | { kind: 'links-to' | 'linked-from'; id: string }
  | { kind: 'by'; by: Provenance }
  | { kind: 'is'; is: States }

/** A condition, or several. */
export type Query =
  | Leaf
  | { kind: 'all' | 'any'; of: readonly Query[] }
  | { kind: 'not'; of: Query }

const day = z.iso.date('a day like 2026-11-21').optional()
const inherit = z.boolean().optional()
const states = [
  ...(['orphan', 'broken', 'private', 'commented'] as const),
  ...(['dated', 'linking', 'diary', 'outside'] as const),
] as const
const writers = ['owner', 'agent', 'tool', 'web', 'message'] as const
const dateKinds = ['active', 'scheduled', 'deadline', 'closed', 'event', 'inactive'] as const

const leaf: z.ZodType<Leaf> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('id'), id: z.string() }),
  z.object({ kind: z.literal('type'), type: z.enum(['file', 'headline']) }),
  z.object({ kind: z.literal('file'), file: z.string() }),
  z.object({ kind: z.literal('tag'), tag: z.string(), inherit }),
  z.object({ kind: z.literal('todo'), todo: z.string() }),
  z.object({ kind: z.literal('priority'), priority: z.string() }),
  z.object({
    kind: z.literal('property'),
    name: z.string(),
    value: z.string().optional(),
    inherit,
  }),
  z.object({ kind: z.literal('date'), dates: z.enum(dateKinds), from: day, to: day }),
  z.object({ kind: z.literal('under'), path: z.array(z.string()).min(1) }),
  z.object({ kind: z.literal('text'), text: z.string(), field: z.enum(fields).optional() }),
  z.object({ kind: z.enum(['links-to', 'linked-from']), id: z.string() }),
  z.object({ kind: z.literal('by'), by: z.enum(writers) }),
  z.object({ kind: z.literal('is'), is: z.enum(states) }),
])

/** What a query from outside must look like. */
export const querySchema: z.ZodType<Query> = z.lazy(() =>
  z.union([
    leaf,
    z.object({ kind: z.enum(['all', 'any']), of: z.array(querySchema) }),
    z.object({ kind: z.literal('not'), of: querySchema }),
  ]),
)

type Candidates = ReadonlySet<NoteFacts> | null

function candidates(indexes: Indexes, query: Query): Candidates {
  switch (query.kind) {
    case 'all':
      return query.of.map((part) => candidates(indexes, part)).reduce(smaller, null)
    case 'any': {
      const parts = query.of.map((part) => candidates(indexes, part))
      return parts.includes(null) ? null : new Set(parts.flatMap((part) => [...part!]))
    }
    case 'id':
      return new Set([indexes.get(query.id)].filter((note) => note !== null))
    case 'under':
      return below(indexes, indexes.having(`title:${query.path.at(-1)!.trim().toLowerCase()}`))
    case 'property': {
      const owners = indexes.having(propertyWord(query))
      return query.inherit === true ? below(indexes, owners) : owners
    }
    case 'date':
      return indexes.having('is:dated')
    case 'linked-from':
    case 'links-to':
      return linked(indexes, query)
    case 'text': {
      const ids = searchOf(indexes, [query]).candidates()
      return ids && new Set([...ids].map((id) => indexes.get(id)).filter((note) => note !== null))
    }
    default: {
      const word = wordOf(query)
      return word === null ? null : indexes.having(word)
    }
  }
}

function smaller(one: Candidates, other: Candidates): Candidates {
  if (one === null || other === null) return one ?? other
  return one.size <= other.size ? one : other
}

function propertyWord({ name, value }: { name: string; value?: string | undefined }): string {
  return `property:${name.toUpperCase()}${value === undefined ? '' : `=${value}`}`
}

function wordOf(query: Query): string | null {
  switch (query.kind) {
    case 'type':
      return `type:${query.type}`
    case 'file':
      return query.file.includes('*') ? null : `file:${query.file}`
    case 'tag':
      return `tag:${query.tag}`
    case 'todo':
      if (query.todo === 'done') return 'is:done'
      return query.todo === 'open' ? 'is:todo' : `todo:${query.todo}`
    case 'priority':
      return `priority:${query.priority}`
    case 'by':
      return query.by === 'owner' ? null : `by:${query.by}`
    case 'is':
      return query.is === 'broken' ? 'is:linking' : query.is === 'orphan' ? null : `is:${query.is}`
    default:
      return null
  }
}

/** These notes and all that is inside them. */
function below(indexes: Indexes, notes: Iterable<NoteFacts>): Set<NoteFacts> {
  const found = new Set(notes)
  for (const note of found)
    for (const child of indexes.having(`parent:${note.id}`)) found.add(child)
  return found
}

function linked(indexes: Indexes, { kind, id }: { kind: string; id: string }): Set<NoteFacts> {
  const note = indexes.get(id)
  if (note === null) return new Set()
  return new Set(kind === 'links-to' ? backlinks(indexes, note) : linksFrom(indexes, note))
}

type Test = (note: NoteFacts) => boolean

function testOf(indexes: Indexes, query: Query): Test {
  switch (query.kind) {
    case 'all': {
      const tests = query.of.map((part) => testOf(indexes, part))
      return (note) => tests.every((holds) => holds(note))
    }
    case 'any': {
      const tests = query.of.map((part) => testOf(indexes, part))
      return (note) => tests.some((holds) => holds(note))
    }
    case 'not': {
      const holds = testOf(indexes, query.of)
      return (note) => !holds(note)
    }
    case 'id':
      return ({ id }) => id === query.id
    case 'text': {
      const search = searchOf(indexes, [query])
      return ({ id }) => search.holds(id)
    }
    case 'linked-from':
    case 'links-to': {
      const notes = linked(indexes, query)
      return (note) => notes.has(note)
    }
    default:
      return testOfFacts(indexes, query)
  }
}

type Text = Extract<Query, { kind: 'text' }>

function searchOf({ store }: Indexes, texts: readonly Text[]): TextSearch {
  const terms = texts.flatMap(({ field, text }) =>
    textTerms(text).map((term) => (field === undefined ? term : { ...term, field })),
  )
  return new TextSearch(store, terms)
}

function testOfFacts(indexes: Indexes, query: Query): Test {
  switch (query.kind) {
    case 'file': {
      if (!query.file.includes('*')) return ({ file }) => file === query.file
      const parts = query.file.split(/\*+/).map((part) => RegExp.escape(part))
      const pattern = new RegExp(`^${parts.join('.*')}$`, 's')
      return ({ file }) => pattern.test(file)
    }
    case 'tag':
      return ({ tags, ownTags }) => (query.inherit === false ? ownTags : tags).includes(query.tag)
    case 'property':
      return propertyTest(indexes, query)
    case 'date':
      return dateTest(query)
    case 'under':
      return underTest(indexes, query.path)
    case 'by':
      return ({ by }) => by === query.by
    default: {
      if (query.kind === 'is' && query.is === 'orphan') return (note) => isOrphan(indexes, note)
      if (query.kind === 'is' && query.is === 'broken') {
        return (note) => brokenLinks(indexes, note).length > 0
      }
      const notes = indexes.having(wordOf(query) ?? '')
      return (note) => notes.has(note)
    }
  }
}

function propertyTest(
  indexes: Indexes,
  { name, value, inherit = false }: Extract<Query, { kind: 'property' }>,
): Test {
  const key = name.toUpperCase()
  return (note) => {
    let at: NoteFacts | null = note
    while (at !== null && inherit && at.attributes[key] === undefined) {
      at = indexes.get(at.parent ?? '')
    }
    const found = at?.attributes[key]
    return found !== undefined && (value === undefined || found === value)
  }
}

function underTest(indexes: Indexes, path: readonly string[]): Test {
  const wanted = path.map((title) => title.trim().toLowerCase()).reverse()
  return (note) => {
    const above: string[] = []
    let at = indexes.get(note.parent ?? '')
    for (; at !== null; at = indexes.get(at.parent ?? '')) above.push(at.title.trim().toLowerCase())
    return above.some((_, from) => wanted.every((title, step) => above[from + step] === title))
  }
}

function dateTest({ dates, from, to }: Extract<Query, { kind: 'date' }>): Test {
  const first = from === undefined ? Number.NEGATIVE_INFINITY : dayNumber(from)
  const last = to === undefined ? Number.POSITIVE_INFINITY : dayNumber(to)
  return (note) => note.dates.some((date) => isMeant(date, dates) && isWithin(date, first, last))
}

function isMeant({ kind, raw }: NoteDate, dates: string): boolean {
  if (dates === 'active') return raw.startsWith('<')
  return kind === dates || (dates === 'event' && kind === 'block')
}

function isWithin({ first, last, raw }: NoteDate, from: number, to: number): boolean {
  return first === last ? repeatsWithin(raw, from, to) : first <= to && last >= from
}

interface QueryOptions {
  limit?: number
  /** Leaves out what must not be seen here, such as private notes or another scope. */
  accept?: (note: NoteFacts) => boolean
}

/** A note that was found; its score is null when there was nothing to rank by. */
interface QueryHit {
  note: NoteFacts
  score: number | null
}

/** The notes that meet a query. */
export function runQuery(indexes: Indexes, query: Query, options: QueryOptions = {}): QueryHit[] {
  const { limit = Number.POSITIVE_INFINITY, accept = () => true } = options
  const parts = query.kind === 'all' ? query.of : [query]
  const texts = parts.filter((part) => part.kind === 'text')
  const rest: Query = { kind: 'all', of: parts.filter((part) => part.kind !== 'text') }
  const holds = testOf(indexes, rest)
  const isWanted = (note: NoteFacts | null) => note !== null && accept(note) && holds(note)
  const found = () => [...(candidates(indexes, query) ?? indexes.notes())].sort(byPlace)
  const hits =
    texts.length === 0
      ? found()
          .filter(isWanted)
          .map((note) => ({ note, score: null }))
      : searchOf(indexes, texts)
          .ranked(
            () => found().map(({ id }) => id),
            (id) => isWanted(indexes.get(id)),
            limit,
          )
          .map(({ key, score }) => ({ note: indexes.get(key)!, score }))
  return limit < hits.length ? hits.slice(0, limit) : hits
}
