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
  #kept: readonly Moment[]
  /** Later trace entries that found the store as a moment has it. */
  readonly #same = new Map<string, Moment>()

  /** Begins with those that an earlier process kept. */
  constructor(kept: readonly Moment[] = []) {
    this.#kept = kept.slice(-momentsMax)
  }

  /** Keeps a moment, unless nothing has changed since the last one; says whether it did. */
  keep(moment: Moment): boolean {
    const last = this.#kept.at(-1)
    if (last?.snapshot.files === moment.snapshot.files) {
      if (moment.entry !== null) this.#same.set(moment.entry, last)
      return false
    }
    this.#kept = [...this.#kept, moment].slice(-momentsMax)
    for (const [entry, kept] of this.#same) if (!this.#kept.includes(kept)) this.#same.delete(entry)
    return true
  }

  /** All that are kept, oldest first. */
  list(): readonly Moment[] {
    return this.#kept
  }

  /** The store before the first change of this trace entry, or null. */
  before(entry: string): Moment | null {
    return this.#kept.find((moment) => moment.entry === entry) ?? this.#same.get(entry) ?? null
  }
}
