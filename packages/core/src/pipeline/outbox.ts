import type { Signal } from '../contract/signal.ts'

/** What somebody may say to a question: yes for good as well, yes or no once, or nothing. */
export type DecisionRight = 'always' | 'once' | 'none'

/** Who is connected. */
export interface Sessions {
  has(sessionId: string): boolean
  /** The sessions of a source, the youngest last. */
  of(source: string): readonly string[]
  /** What whoever is at the other end may decide; without it, everything. */
  rightOf?(sessionId: string): DecisionRight
}

const keptMax = 20
const followedMax = 100

/** Sends signals to sessions, and keeps those that must not get lost. */
export class Outbox {
  readonly #send: (signal: Signal) => void
  readonly #sessions: Sessions | undefined
  readonly #followed = new Map<string, string | undefined>()
  #kept: Signal[] = []

  constructor(send: (signal: Signal) => void, sessions?: Sessions) {
    this.#send = send
    this.#sessions = sessions
  }

  /** The session of this source that connected last, or null. */
  latest(source: string): string | null {
    return this.#sessions?.of(source).at(-1) ?? null
  }

  /** What whoever reads this session may decide; a signal of no session is for the owner. */
  rightOf(sessionId: string | undefined): DecisionRight {
    if (sessionId === undefined) return 'always'
    return this.#sessions?.rightOf?.(sessionId) ?? 'always'
  }

  /** Answers for this session go to another one when it is gone, else to its source. */
  follow(sessionId: string | undefined, other?: string): void {
    if (sessionId === undefined) return
    this.#followed.set(sessionId, other)
    const [oldest] = this.#followed.keys()
    if (this.#followed.size > followedMax && oldest !== undefined) this.#followed.delete(oldest)
  }

  /** Sends a signal to where it belongs. Throws what sending throws. */
  send(signal: Signal): void {
    const { sessionId, source } = signal.meta
    const sessions = this.#sessions
    if (sessions === undefined || (sessionId !== undefined && sessions.has(sessionId))) {
      this.#send(signal)
      return
    }
    if (sessionId !== undefined && !this.#followed.has(sessionId)) return
    if (signal.type !== 'response') return
    const other = sessionId === undefined ? undefined : this.#followed.get(sessionId)
    const isThere = other !== undefined && sessions.has(other)
    const home = isThere ? other : sessions.of(source).at(-1)
    if (home !== undefined) this.#send({ ...signal, meta: { ...signal.meta, sessionId: home } })
    else this.#kept = [...this.#kept, signal].slice(-keptMax)
  }

  /** A session of this source is there; it gets what was kept for it. */
  connected(sessionId: string, source: string): void {
    const mine = this.#kept.filter(({ meta }) => meta.source === source)
    this.#kept = this.#kept.filter(({ meta }) => meta.source !== source)
    for (const signal of mine) this.#send({ ...signal, meta: { ...signal.meta, sessionId } })
  }
}
