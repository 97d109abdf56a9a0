import { messageOf } from '../base/printing.ts'
import { secretsOf, sightOf } from '../memory/private-view.ts'
import type { FileEntry, ObjectStore } from '../memory/store.ts'
import type { Runtime } from '../pipeline/runtime.ts'
import { catchUpNotes } from '../search/note-index.ts'
import { outlineOf, partOf } from '../search/outline.ts'

class Objects {
  readonly #store: ObjectStore
  #left: FileEntry[] = []
  #seen: unknown = null

  constructor(store: ObjectStore) {
    this.#store = store
  }

  catchUp(milliseconds: number): boolean {
    const { files } = this.#store.snapshot()
    if (files !== this.#seen) this.#left = [...files].map(([, entry]) => entry)
    this.#seen = files
    const until = performance.now() + milliseconds
    for (let entry = this.#left.pop(); entry !== undefined; entry = this.#left.pop()) {
      secretsOf(entry)
      partOf(entry)
      if (this.#left.length > 0 && performance.now() > until) return false
    }
    return true
  }
}

const pieceMs = 10

/** Work in the background that can be woken and ended. */
interface Warming {
  /** Goes on, when something has changed; does nothing when it goes on already. */
  wake(): void
  /** Resolves when there is nothing left to do, and not when it is closed before. */
  done(): Promise<void>
  close(): void
}

/** Makes the indices of the memory in pieces. Not begun before it is woken. */
export function warmMemory(
  runtime: Pick<Runtime, 'store' | 'scopes' | 'indexes' | 'log'>,
): Warming {
  const { store, scopes, indexes, log } = runtime
  const objects = new Objects(store)
  const steps = [
    (ms: number) => objects.catchUp(ms),
    () => [sightOf(store), scopes.known(), outlineOf(store)].length > 0,
    (ms: number) => catchUpNotes(store, ms),
    (ms: number) => indexes.catchUp(ms),
  ]
  let next: NodeJS.Immediate | null = null
  let waiting: (() => void)[] = []
  const rest = () => {
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const work = () => {
    next = null
    try {
      if (steps.every((step) => step(pieceMs))) rest()
      else next = setImmediate(work)
    } catch (error) {
      log('warn', `the memory was not made ready: ${messageOf(error)}`)
      rest()
    }
  }
  return {
    wake() {
      next ??= setImmediate(work)
    },
    done: () =>
      new Promise((resolve) => {
        if (next === null) resolve()
        else waiting.push(resolve)
      }),
    close() {
      if (next !== null) clearImmediate(next)
      next = null
      waiting = []
    },
  }
}
