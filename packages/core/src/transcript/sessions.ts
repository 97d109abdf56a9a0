import type { Clock } from '../base/clock.ts'
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
  /** All sessions, the last used one first. */
  list(): SessionSummary[]
  /** Gives a session a title. */
  rename(id: string, title: string): void
  remove(id: string): void
}

interface SessionsOptions {
  clock: Clock
  store?: TranscriptStore | undefined
  /** What of a text may be kept; all of it by default. */
  mask?: (text: string) => string
}

const openMax = 100

/** The transcripts of all sessions. */
export class Sessions {
  readonly #open = new Map<string, Transcript>()
  readonly #bound = new Map<string, string>()
  readonly #focus = new Map<string, string>()
  readonly #options: SessionsOptions
  #closings = 0

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** The transcript that this connection talks in. */
  of(connection: string): Transcript {
    const id = this.#bound.get(connection) ?? connection
    const known = this.#open.get(id)
    this.#open.delete(id)
    const { store } = this.#options
    const transcript =
      known ?? new Transcript(id, store?.read(id), (entry) => store?.append(id, entry))
    this.#open.set(id, transcript)
    const [oldest] = this.#open.keys()
    if (this.#open.size > openMax && oldest !== undefined) this.#open.delete(oldest)
    return transcript
  }

  /** From now on this connection talks in that session. */
  bind(connection: string, id: string): void {
    this.#bound.delete(connection)
    this.#bound.set(connection, id)
    const [oldest] = this.#bound.keys()
    if (this.#bound.size > openMax && oldest !== undefined) this.#bound.delete(oldest)
  }

  /** Adds an entry to the session of a connection, as it may be kept. Throws when it cannot be kept. */
  add(connection: string, turn: string, body: EntryBody): Entry {
    const at = this.#options.clock.now().getTime()
    const entry = { ...maskedBody(body, this.#options.mask), turn, at }
    this.of(connection).append(entry)
    return entry
  }

  /** Remembers the object that the owner of a connection is at. */
  moveFocus(connection: string, object: string): void {
    this.#focus.delete(connection)
    this.#focus.set(connection, object)
    const [oldest] = this.#focus.keys()
    if (this.#focus.size > openMax && oldest !== undefined) this.#focus.delete(oldest)
  }

  /** The id of the object that the owner of a connection is at, or null. */
  focusOf(connection: string): string | null {
    return this.#focus.get(connection) ?? null
  }

  /** Forgets what others than the owner have said when a note was closed since; true when it did. */
  closeAfter(closings: number): boolean {
    if (closings <= this.#closings) return false
    this.#closings = closings
    for (const transcript of this.#open.values()) {
      transcript.rewrite(withheld)
      this.#options.store?.rewrite(transcript.id, transcript.entries)
    }
    return true
  }
}

function maskedBody(body: EntryBody, mask: SessionsOptions['mask']): EntryBody {
  if (mask === undefined) return body
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
  switch (entry.kind) {
    case 'words':
      return entry.origin === 'owner' ? entry : { ...entry, text: forgotten }
    case 'answer': {
      const calls = entry.calls.map((call) => ({ ...call, args: {} }))
      return { ...entry, text: entry.text === '' ? '' : forgotten, calls }
    }
    case 'material':
    case 'result':
    case 'summary':
      return { ...entry, text: forgotten }
    default:
      return entry
  }
}
