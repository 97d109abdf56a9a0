import type { Snapshot } from './store.ts'

/** How many are kept. */
export const momentsMax = 20

/** The store before an action. */
export interface Moment {
  /** The trace entry of the signal that the action answers; null outside a turn. */
  entry: string | null
  /** Milliseconds since the epoch. */
  at: number
  snapshot: Snapshot
}

/** The last moments, oldest first. */
export class Moments {
  #kept: Moment[] = []

  /** Keeps a moment, unless nothing has changed since the last one. */
  keep(moment: Moment): void {
    const last = this.#kept.at(-1)?.snapshot
    const isSame = last?.files === moment.snapshot.files
    if (!isSame) this.#kept = [...this.#kept, moment].slice(-momentsMax)
  }

  /** All that are kept, oldest first. */
  list(): readonly Moment[] {
    return this.#kept
  }

  /** The store before the first change of this trace entry, or null. */
  before(entry: string): Moment | null {
    return this.#kept.find((moment) => moment.entry === entry) ?? null
  }
}
