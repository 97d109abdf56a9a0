/** How many turns of one session, and of all, may wait or be worked on. */
export const turnsMax: { session: number; all: number } = { session: 100, all: 1_000 }

/** How many characters they may have. */
const charactersMax: { session: number; all: number } = {
  session: 4_000_000,
  all: 32_000_000,
}

interface Load {
  count: number
  characters: number
}

function isOver(load: Load, characters: number, who: 'session' | 'all'): boolean {
  return load.count >= turnsMax[who] || load.characters + characters > charactersMax[who]
}

/** Work in the order of its session. */
export class TurnQueue {
  readonly #all: Load = { count: 0, characters: 0 }
  readonly #sessions = new Map<string, Load & { last: Promise<void> }>()

  /** Hangs work, which must not reject, behind that of its session; null when there is no room. */
  add(session: string, work: () => Promise<void>, characters = 0): Promise<void> | null {
    const own = this.#sessions.get(session)
    const isFull =
      own !== undefined &&
      (isOver(own, characters, 'session') || isOver(this.#all, characters, 'all'))
    return isFull ? null : this.addAlways(session, work, characters)
  }

  /** The same, whether there is room or not. */
  addAlways(session: string, work: () => Promise<void>, characters = 0): Promise<void> {
    const empty = { count: 0, characters: 0, last: Promise.resolve() }
    const queue = this.#sessions.get(session) ?? empty
    this.#sessions.set(session, queue)
    for (const load of [this.#all, queue]) {
      load.count++
      load.characters += characters
    }
    queue.last = queue.last.then(work).finally(() => {
      for (const load of [this.#all, queue]) {
        load.count--
        load.characters -= characters
      }
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
