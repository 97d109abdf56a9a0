import { unescapeCode } from 'org-ast'
import { inertCode, inertLine } from 'org-ast/edit'
import type { MemoryObject } from '../memory/memory-object.ts'
import { ObjectStore } from '../memory/store.ts'
import { retrieve } from '../search/retrieval.ts'
import type { SessionSummary, Sessions } from './sessions.ts'
import type { Entry } from './transcript.ts'

const titleMax = 120

/** A session as Org for the search: a headline for each turn. */
function searchText(entries: readonly Entry[]): string {
  const turns = Map.groupBy(
    entries.flatMap((entry) => (isSaid(entry) ? [entry] : [])),
    ({ turn }) => turn,
  )
  return [...turns.values()].map(turnText).join('')
}

type Said = Extract<Entry, { kind: 'words' | 'answer' }>

function isSaid(entry: Entry): entry is Said {
  if (entry.kind !== 'words' && entry.kind !== 'answer') return false
  return entry.text !== '' && !(entry.kind === 'answer' && entry.ending === 'withdrawn')
}

function turnText(said: readonly Said[]): string {
  const [first] = said
  const body = said.map(({ kind, text }) => (kind === 'words' ? `› ${text}` : text)).join('\n')
  return [
    `* ${inertLine(first!.text.slice(0, titleMax))}`,
    ':PROPERTIES:',
    `:AT: ${first!.at}`,
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
}

interface SessionQuery {
  words: string
  /** ms since the epoch; only what was said between them. */
  from?: number | undefined
  until?: number | undefined
  limit?: number
}

/** What was said in all sessions of a registry. */
export class SessionSearch {
  readonly #sessions: Pick<Sessions, 'list' | 'read'>
  readonly #store = new ObjectStore()
  /** By path: what the document was when it was read. */
  readonly #seen = new Map<string, SessionSummary>()

  constructor(sessions: Pick<Sessions, 'list' | 'read'>) {
    this.#sessions = sessions
  }

  /** The exchanges that fit best, the best first. */
  find({
    words,
    from = 0,
    limit = 10,
    until = Number.POSITIVE_INFINITY,
  }: SessionQuery): SessionHit[] {
    this.#follow()
    const within = ({ attributes, type }: MemoryObject) => {
      const at = Number(attributes.AT ?? 'none')
      return type === 'headline' && at >= from && at <= until
    }
    return retrieve(this.#store, words, { limit, within }).flatMap(({ object }) => {
      const summary = this.#seen.get(object.file)
      if (summary === undefined) return []
      const { title, id: session } = summary
      return [{ session, title, at: Number(object.attributes.AT), text: plainText(object.content) }]
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

/** The words between the lines of the block. */
function plainText(content: string): string {
  const [, body = ''] = /^#\+begin_example\n([\s\S]*?)\n#\+end_example/m.exec(content) ?? []
  return unescapeCode(body).replaceAll('\u200b', '')
}
