/** How many turns of one session, and of all, may wait or be worked on. */
export const turnsMax: { session: number; all: number } = { session: 100, all: 1_000 }

/** Work in the order of its session. */
export class TurnQueue {
  #all = 0
  readonly #sessions = new Map<string, { count: number; last: Promise<void> }>()

  /** Hangs work, which must not reject, behind that of its session; null when there is no room. */
  add(session: string, work: () => Promise<void>): Promise<void> | null {
    const count = this.#sessions.get(session)?.count ?? 0
    const isFull = count >= turnsMax.session || (count > 0 && this.#all >= turnsMax.all)
    return isFull ? null : this.addAlways(session, work)
  }

  /** The same, whether there is room or not. */
  addAlways(session: string, work: () => Promise<void>): Promise<void> {
    const queue = this.#sessions.get(session) ?? { count: 0, last: Promise.resolve() }
    this.#sessions.set(session, queue)
    this.#all++
    queue.count++
    queue.last = queue.last.then(work).finally(() => {
      this.#all--
      queue.count--
      if (queue.count === 0) this.#sessions.delete(session)
    })
    return queue.last
  }

  /** Resolves when nothing waits and nothing is worked on. */
  async idle(): Promise<void> {
    while (this.#sessions.size > 0) {
      await Promise.all([...this.#sessions.values()].map(({ last }) => last))
    }
  }
}
