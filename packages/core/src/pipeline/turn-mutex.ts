/** A right that one holds at a time. */
export class Floor {
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  /** Resolves when the floor is the caller's, who must give it back. */
  take(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    return Promise.resolve()
  }

  /** Hands the floor to the next. */
  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else next()
  }
}
