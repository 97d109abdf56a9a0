import { unescapeCode } from 'org-ast'
import { inertCode, inertLine } from 'org-ast/edit'
import type { MemoryObject } from '../memory/memory-object.ts'
import { ObjectStore } from '../memory/store.ts'
import { retrieve } from '../search/retrieval.ts'
import type { SessionSummary, Sessions } from './sessions.ts'
import { type Entry, taintOf } from './transcript.ts'

const titleMax = 120

/** A session as Org for the search: a headline for each turn. */
function searchText(entries: readonly Entry[]): string {
  const turns = Map.groupBy(entries, ({ turn }) => turn)
  return [...turns.values()].map(turnText).join('')
}

type Said = Extract<Entry, { kind: 'words' | 'answer' }>

function isSaid(entry: Entry): entry is Said {
  if (entry.kind !== 'words' && entry.kind !== 'answer') return false
  return entry.text !== '' && !(entry.kind === 'answer' && entry.ending === 'withdrawn')
}

function turnText(turn: readonly Entry[]): string {
  const said = turn.filter(isSaid)
  const [first] = said
  if (first === undefined) return ''
  const body = said.map(({ kind, text }) => (kind === 'words' ? `› ${text}` : text)).join('\n')
  return [
    `* ${inertLine(first.text.slice(0, titleMax))}`,
    ':PROPERTIES:',
    `:AT: ${first.at}`,
    `:TAINT: ${taintOf(turn, 'tool')}`,
    ':END:',
    '#+begin_example',
    inertCode(body),
    '#+end_example',
    '',
  ].join('\n')
}

/** An exchange that fits. */
export interface SessionHit {
  session: string
  title: string
  /** When it was said, in ms since the epoch. */
  at: number
  text: string
  /** Whose words weigh most in the turn it was said in, where that is somebody outside. */
  outside: 'web' | 'message' | null
}

interface SessionQuery {
  words: string
  /** ms since the epoch; only what was said between them. */
  from?: number | undefined
  until?: number | undefined
  limit?: number
  /** Only this session. */
  only?: string | undefined
}

/** What was said in all sessions of a registry. */
class SessionSearch {
  readonly #sessions: Pick<Sessions, 'list' | 'read'>
  readonly #store = new ObjectStore()
  /** By path: what the document was when it was read. */
  readonly #seen = new Map<string, SessionSummary>()

  constructor(sessions: Pick<Sessions, 'list' | 'read'>) {
    this.#sessions = sessions
  }

  /** The exchanges that fit best, the best first. */
  find(query: SessionQuery): SessionHit[] {
    const { words, from = 0, limit = 10, only, until = Number.POSITIVE_INFINITY } = query
    this.#follow()
    const within = ({ attributes, file, type }: MemoryObject) => {
      const at = Number(attributes.AT ?? 'none')
      const isThere = only === undefined || this.#seen.get(file)?.id === only
      return type === 'headline' && isThere && at >= from && at <= until
    }
    return retrieve(this.#store, words, { limit, within }).flatMap(({ object }) => {
      const summary = this.#seen.get(object.file)
      if (summary === undefined) return []
      const { title, id: session } = summary
      const { AT: at, TAINT: taint } = object.attributes
      const outside = taint === 'web' || taint === 'message' ? taint : null
      return [{ session, title, at: Number(at), text: plainText(object.content), outside }]
    })
  }

  #follow(): void {
    const now = new Map(this.#sessions.list().map((one) => [`${one.id}.org`, one]))
    for (const path of [...this.#seen.keys()].filter((path) => !now.has(path))) {
      this.#store.removeFile(path)
      this.#seen.delete(path)
    }
    for (const [path, summary] of now) {
      const seen = this.#seen.get(path)
      if (seen?.size === summary.size && seen.used === summary.used) continue
      this.#store.ingestFile(path, searchText(this.#sessions.read(summary.id)))
      this.#seen.set(path, summary)
    }
  }
}

const searches = new WeakMap<Sessions, SessionSearch>()

/** The search of a registry, of which there is one. */
export function searchOf(sessions: Sessions): SessionSearch {
  const search = searches.get(sessions) ?? new SessionSearch(sessions)
  searches.set(sessions, search)
  return search
}

/** The words between the lines of the block. */
function plainText(content: string): string {
  const [, body = ''] = /^#\+begin_example\n([\s\S]*?)\n#\+end_example/m.exec(content) ?? []
  return unescapeCode(body).replaceAll('\u200b', '')
}
