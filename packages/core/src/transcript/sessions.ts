import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../base/clock.ts'
import { once } from '../base/once.ts'
import { messageOf } from '../base/printing.ts'
import { type Entry, type EntryBody, Transcript } from './transcript.ts'

/** What a list shows of a session. */
export interface SessionSummary {
  id: string
  /** Its first words, or the name that its owner gave; empty while nothing was said. */
  title: string
  /** The client that it began in, such as `tui`; empty when that is not known. */
  source: string
  /** When it began and was used last, in ms since the epoch. */
  began: number
  used: number
  /** Bytes. */
  size: number
}

/** Keeps transcripts on a disk. */
export interface TranscriptStore {
  /** The entries of a session; none for one that is not known. Never throws. */
  read(id: string): Entry[]
  /** Adds one; the source is that of the client. Throws when it cannot be written. */
  append(id: string, entry: Entry, source?: string): void
  /** Writes all of them anew. Throws when they cannot be written. */
  rewrite(id: string, entries: readonly Entry[]): void
  /** Forces what was added to a session to the disk. Throws when that fails. */
  sync(id: string): void
  /** Whether anything of a session is kept. */
  has(id: string): boolean
  /** All sessions, the last used one first. */
  list(): SessionSummary[]
  /** Gives a session a title. */
  rename(id: string, title: string): void
  remove(id: string): void
  /** Removes what is too old or too much; returns their titles. */
  tidy(now: number): string[]
}

interface SessionsOptions {
  clock: Clock
  store?: TranscriptStore | undefined
  /** What of a text may be kept, all of it by default; the owner's words and what was cleaned already are `clean`. */
  mask?: (text: string, isClean: boolean) => string
  /** How often a note has become private so far. */
  closings?: () => number
  /** When a note was closed last before this process began, in ms; asked once. */
  closedBefore?: () => number
  /** Gets a sentence about what could not be forgotten. */
  told?: (sentence: string) => void
}

const openMax = 100

/** Adds to a map whose oldest gives its place to what is too many. */
function putYoungest<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > openMax && oldest !== undefined) map.delete(oldest)
}

/** What is known of the connections: their sessions, their clients, and where their owner is looking. */
class Connections {
  readonly #bound = new Map<string, string>()
  readonly #focus = new Map<string, string>()
  readonly #sources = new Map<string, string>()

  /** The id of the session that a connection talks in. */
  idOf(connection: string): string {
    return this.#bound.get(connection) ?? connection
  }

  /** From now on this connection talks in that session. */
  bind(connection: string, id: string): void {
    putYoungest(this.#bound, connection, id)
    const source = this.#sources.get(connection)
    if (source !== undefined && !this.#sources.has(id)) this.began(id, source)
  }

  /** Notes which client a connection belongs to, such as `tui`, for the sessions that begin in it. */
  began(connection: string, source: string): void {
    putYoungest(this.#sources, connection, source)
  }

  /** The client in which a session began, where that is known. */
  sourceOf(id: string): string | undefined {
    return this.#sources.get(id)
  }

  /** The connections that talk in a session, as far as they are known. */
  connectionsOf(id: string): string[] {
    const bound = [...this.#bound].flatMap(([connection, to]) => (to === id ? connection : []))
    return this.#bound.has(id) ? bound : [id, ...bound]
  }

  /** Remembers the object that the owner of a connection is at. */
  moveFocus(connection: string, object: string): void {
    putYoungest(this.#focus, connection, object)
  }

  /** The id of the object that the owner of a connection is at, or null. */
  focusOf(connection: string): string | null {
    return this.#focus.get(connection) ?? null
  }
}

/** The sessions that a person may mean: by the id, by the whole title, by its beginning, or by words in it. */
function fitting(all: readonly SessionSummary[], name: string): SessionSummary[] {
  const wanted = name.trim().toLowerCase()
  const fits: ((title: string) => boolean)[] = [
    (title) => title === wanted,
    (title) => title.startsWith(wanted),
    (title) => title.includes(wanted),
  ]
  const found = [
    all.filter(({ id }) => id === name),
    ...fits.map((fit) => all.filter(({ title }) => fit(title.toLowerCase()))),
  ]
  return found.find(({ length }) => length > 0) ?? []
}

/** The sessions that are kept. */
class KeptSessions extends Connections {
  protected readonly options: SessionsOptions
  protected readonly open: Map<string, Transcript> = new Map()
  protected readonly forgetting: Forgetting

  constructor(options: SessionsOptions) {
    super()
    this.options = options
    this.forgetting = new Forgetting(options, (id) => this.open.get(id))
  }

  /** Whether there are documents of a session. */
  has(id: string): boolean {
    return this.options.store?.has(id) ?? false
  }

  /** The sessions that are kept, the last used one first. */
  list(): SessionSummary[] {
    return this.options.store?.list() ?? []
  }

  /** The sessions that a person may mean by a name. */
  named(name: string): SessionSummary[] {
    return fitting(this.list(), name)
  }

  /** The entries of a session, without what had to be forgotten since; none for one that is not known. */
  read(id: string): Entry[] {
    return this.forgetting.read(id)
  }

  /** Gives a session a title, also one in which nothing was said yet. */
  rename(id: string, title: string): void {
    this.options.store?.rename(id, title)
  }

  /** Removes a session; who talks in it begins anew. */
  remove(id: string): void {
    this.open.delete(id)
    this.options.store?.remove(id)
  }

  /** Removes what is older or more than may be kept, and forgets what a crash has left; the titles of what was removed. */
  tidy(): string[] {
    this.forgetting.sweep()
    return this.options.store?.tidy(this.options.clock.now().getTime()) ?? []
  }

  /** Resolves when what has to be forgotten is gone from the disk. Never rejects. */
  forgotten(): Promise<void> {
    return this.forgetting.done
  }
}

/** Gets each entry of a session after it was kept, and over which connection it was said, where that is known. */
type EntryListener = (session: string, entry: Entry, connection: string | undefined) => void

/** The transcripts of all sessions. */
export class Sessions extends KeptSessions {
  readonly #listeners = new Set<EntryListener>()
  #closings = 0

  /** The transcript that this connection talks in; a new one, which is kept nowhere, for nobody's. */
  of(connection: string | undefined): Transcript {
    this.#forget()
    if (connection === undefined) return new Transcript('')
    const id = this.idOf(connection)
    const known = this.open.get(id)
    const transcript = known ?? new Transcript(id, this.read(id), (entry) => this.#keep(id, entry))
    putYoungest(this.open, id, transcript)
    return transcript
  }

  /** Adds an entry to a transcript, as it may be kept. Throws when it cannot be kept. */
  add(transcript: Transcript, turn: string, body: EntryBody, connection?: string): Entry {
    const at = this.options.clock.now().getTime()
    const entry = { ...maskedBody(body, this.options.mask), turn, at }
    transcript.append(entry)
    for (const listener of this.#listeners) listener(transcript.id, entry, connection)
    return entry
  }

  /** Tells of every entry that is added; returns how to stop. A listener must not throw. */
  listen(listener: EntryListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Forces what was said in a session to the disk. Throws when that fails. */
  sync({ id }: Transcript): void {
    this.options.store?.sync(id)
  }

  /** Forgets what others than the owner have said, when a note has become private since. */
  #forget(): void {
    const closings = this.options.closings?.() ?? 0
    if (closings <= this.#closings) return
    this.#closings = closings
    for (const transcript of this.open.values()) transcript.rewrite(withheld)
    this.forgetting.begin()
  }

  #keep(id: string, entry: Entry): void {
    this.options.store?.append(id, entry, this.sourceOf(id))
  }
}

function isClean(body: EntryBody): boolean {
  return body.kind === 'words'
    ? body.origin === 'owner'
    : ['material', 'notice'].includes(body.kind)
}

function maskedBody(body: EntryBody, given: SessionsOptions['mask']): EntryBody {
  if (given === undefined) return body
  const mask = (text: string) => given(text, isClean(body))
  const masked = 'text' in body ? { ...body, text: mask(body.text) } : body
  if (masked.kind !== 'answer') return masked
  const calls = masked.calls.map((call) => ({ ...call, args: maskedWords(call.args, mask) }))
  return { ...masked, calls }
}

function maskedWords(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((part) => maskedWords(part, mask))
  if (value === null || typeof value !== 'object') return value
  const parts = Object.entries(value).map(([key, part]) => [key, maskedWords(part, mask)])
  return Object.fromEntries(parts) as unknown
}

const forgotten = '(forgotten, since a note has become private)'

function withheld(entry: Entry): Entry {
  if ('text' in entry && entry.text === forgotten) return entry
  switch (entry.kind) {
    case 'words':
      return entry.origin === 'owner' ? entry : { ...entry, text: forgotten }
    case 'answer': {
      const calls = entry.calls.map((call) => ({ ...call, args: {} }))
      return { ...entry, text: entry.text === '' ? '' : forgotten, calls }
    }
    case 'material':
    case 'receipt':
    case 'result':
      return { ...entry, text: forgotten }
    case 'summary':
      return { ...entry, text: '', before: 0 }
    default:
      return entry
  }
}

/** Takes out of the documents what must not be in them any more. */
class Forgetting {
  readonly #options: SessionsOptions
  readonly #closedBefore: () => number
  readonly #openOne: (id: string) => Transcript | undefined
  #closedAt = 0
  done: Promise<void> = Promise.resolve()

  constructor(options: SessionsOptions, openOne: (id: string) => Transcript | undefined) {
    this.#options = options
    this.#openOne = openOne
    this.#closedBefore = once(() => options.closedBefore?.() ?? 0)
  }

  read(id: string): Entry[] {
    return this.#kept(this.#options.store?.read(id) ?? [])
  }

  /** Begins with everything that was said until now. */
  begin(): void {
    this.#closedAt = this.#options.clock.now().getTime()
    this.sweep()
  }

  /** Looks through all documents. */
  sweep(): void {
    this.done = this.done.then(() => this.#rewriteAll())
  }

  #kept(entries: readonly Entry[]): Entry[] {
    const until = Math.max(this.#closedAt, this.#closedBefore())
    return entries.map((entry) => (entry.at <= until ? withheld(entry) : entry))
  }

  async #rewriteAll(): Promise<void> {
    const { store, told } = this.#options
    for (const { id } of store?.list() ?? []) {
      try {
        const entries = store?.read(id) ?? []
        const kept = this.#openOne(id)?.entries ?? this.#kept(entries)
        const isChanged = kept.some((entry, at) => !isDeepStrictEqual(entry, entries[at]))
        if (isChanged) store?.rewrite(id, kept)
      } catch (error) {
        told?.(
          `What was said of a note that is private now is still on the disk: ${messageOf(error)}`,
        )
      }
      await setImmediate()
    }
  }
}
