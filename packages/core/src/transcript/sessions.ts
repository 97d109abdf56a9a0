import type { Clock } from '../base/clock.ts'
import { type Entry, type EntryBody, Transcript } from './transcript.ts'

/** Keeps transcripts on a disk. */
export interface TranscriptStore {
  /** The entries of a session; none for one that is not known. Never throws. */
  read(id: string): Entry[]
  /** Adds one. Throws when it cannot be written. */
  append(id: string, entry: Entry): void
  /** Writes all of them anew. Throws when they cannot be written. */
  rewrite(id: string, entries: readonly Entry[]): void
}

interface SessionsOptions {
  clock: Clock
  store?: TranscriptStore | undefined
  /** What of a text may be kept, all of it by default; the owner's words and what was cleaned already are `clean`. */
  mask?: (text: string, isClean: boolean) => string
  /** How often a note has become private so far. */
  closings?: () => number
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

  /** The transcript that this connection talks in; a new one, which is kept nowhere, for nobody's. */
  of(connection: string | undefined): Transcript {
    this.#forget()
    if (connection === undefined) return new Transcript('')
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

  /** Adds an entry to a transcript, as it may be kept. Throws when it cannot be kept. */
  add(transcript: Transcript, turn: string, body: EntryBody): Entry {
    const at = this.#options.clock.now().getTime()
    const entry = { ...maskedBody(body, this.#options.mask), turn, at }
    transcript.append(entry)
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

  /** Forgets what others than the owner have said, when a note has become private since. */
  #forget(): void {
    const closings = this.#options.closings?.() ?? 0
    if (closings <= this.#closings) return
    this.#closings = closings
    for (const transcript of this.#open.values()) {
      transcript.rewrite(withheld)
      this.#options.store?.rewrite(transcript.id, transcript.entries)
    }
  }
}

function isClean(body: EntryBody): boolean {
  return body.kind === 'words' ? body.origin === 'owner' : ['material', 'notice'].includes(body.kind)
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
