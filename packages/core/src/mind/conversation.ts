/** Who said a line of a conversation. */
type Speaker = 'owner' | 'agent' | 'tool'

/** How an answer ended that was not finished. */
export type Ending = 'interrupted' | 'withdrawn' | 'broken off'

/** One line of a conversation. */
export interface Utterance {
  speaker: Speaker
  text: string
  /** Absent for what was said to its end. */
  ending?: Ending | undefined
}

const entriesMax = 12
const sessionsMax = 100
const textLengthMax = 4_000

/** The recent exchanges of every session; in memory only. */
export class Conversations {
  readonly #sessions = new Map<string, Utterance[]>()
  readonly #focus = new Map<string, string>()
  #closings = 0

  /** Adds an utterance; long ones are cut, old ones forgotten. */
  add(sessionId: string, speaker: Speaker, text: string, ending?: Ending): void {
    const cut = text.length > textLengthMax ? `${text.slice(0, textLengthMax)} …` : text
    const utterance = { speaker, text: cut, ...(ending === undefined ? {} : { ending }) }
    this.#keep(sessionId, [...this.of(sessionId), utterance].slice(-entriesMax))
  }

  /** Remembers the object the session's owner is at. */
  moveFocus(sessionId: string, id: string): void {
    this.#focus.set(sessionId, id)
    this.#keep(sessionId, [...this.of(sessionId)])
  }

  /** Forgets what others than the owner have said when a note was closed since; true when it did. */
  closeAfter(closings: number): boolean {
    if (closings <= this.#closings) return false
    this.#closings = closings
    for (const [id, said] of this.#sessions) this.#sessions.set(id, said.map(withheld))
    return true
  }

  #keep(sessionId: string, utterances: Utterance[]): void {
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, utterances)
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= sessionsMax) break
      this.#sessions.delete(oldest)
      this.#focus.delete(oldest)
    }
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

function withheld(utterance: Utterance): Utterance {
  if (utterance.speaker === 'owner') return utterance
  return { ...utterance, text: '(forgotten, since a note has become private)' }
}
