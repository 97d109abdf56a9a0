/** Who said a line of a conversation. */
export type Speaker = 'owner' | 'agent' | 'tool'

/** One line of a conversation. */
export interface Utterance {
  speaker: Speaker
  text: string
}

const entriesMax = 12
const sessionsMax = 100
const textLengthMax = 4_000

/** The recent exchanges of every session; in memory only. */
export class Conversations {
  readonly #sessions = new Map<string, Utterance[]>()
  readonly #focus = new Map<string, string>()

  /** Adds an utterance; long ones are cut, old ones forgotten. */
  add(sessionId: string, speaker: Speaker, text: string): void {
    const kept = this.#sessions.get(sessionId) ?? []
    this.#sessions.delete(sessionId)
    const cut = text.length > textLengthMax ? `${text.slice(0, textLengthMax)} …` : text
    this.#sessions.set(sessionId, [...kept, { speaker, text: cut }].slice(-entriesMax))
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= sessionsMax) break
      this.#sessions.delete(oldest)
      this.#focus.delete(oldest)
    }
  }

  /** Remembers the object the session's owner is at. */
  moveFocus(sessionId: string, id: string): void {
    if (!this.#sessions.has(sessionId)) this.#sessions.set(sessionId, [])
    this.#focus.set(sessionId, id)
  }

  /** The id of the object the session is at, or null. */
  focusOf(sessionId: string): string | null {
    return this.#focus.get(sessionId) ?? null
  }

  /** The session's utterances, oldest first; empty for an unknown session. */
  of(sessionId: string): readonly Utterance[] {
    return this.#sessions.get(sessionId) ?? []
  }
}
