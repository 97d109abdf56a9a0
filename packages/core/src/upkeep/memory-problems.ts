import type { Memex, Unread } from '../memex/memex.ts'
import { setupNames } from '../memory/setup-files.ts'
import { duplicateIds, type ObjectStore } from '../memory/store.ts'
import type { Runtime } from '../pipeline/runtime.ts'
import type { Changed } from './memex-watch.ts'

/** Something about the notes that their owner should know. */
export type MemoryProblem =
  | { kind: 'duplicate id'; id: string; places: { id: string; file: string; line: number }[] }
  | { kind: 'unread'; path: string; why: Unread['why'] | 'not text' }
  | { kind: 'setup'; path: string; name: string }

/** All that is wrong now, ids first. For the owner's eyes. */
export function memoryProblems({
  memex,
  store,
}: Pick<Runtime, 'memex' | 'store'>): MemoryProblem[] {
  const ids = duplicateIds(store).map(({ written, notes }) => ({
    kind: 'duplicate id' as const,
    id: written,
    places: notes.map(({ id, file, line }) => ({ id, file, line })),
  }))
  const closed = memex.unread()
  const told = new Set(closed.map(({ path }) => path))
  const { files } = store.snapshot()
  const unread = memex.files().filter((path) => files.get(path) === undefined && !told.has(path))
  return [
    ...ids,
    ...closed.map((found) => ({ kind: 'unread' as const, ...found })),
    ...unread.map((path) => ({ kind: 'unread' as const, path, why: 'not text' as const })),
    ...setupsUnread(memex, store),
  ]
}

function setupsUnread(memex: Memex, store: ObjectStore): MemoryProblem[] {
  return store.query({ type: 'file' }).flatMap(({ file, content }) => {
    const names = setupNames(content)
    if (names.length === 0) return []
    const read = memex.setup(file)
    const missing = names.filter((name) => read(name) === null)
    return missing.map((name) => ({ kind: 'setup' as const, path: file, name }))
  })
}

/** The problem in a line, with what to do. */
export function formatMemoryProblem(problem: MemoryProblem): string {
  if (problem.kind === 'duplicate id') {
    const places = problem.places.map(({ file, line }) => `${file}:${line}`).join(', ')
    return `the id ${problem.id} is written ${problem.places.length} times: ${places}; remove it from the copies`
  }
  if (problem.kind === 'setup') {
    return `${problem.path} names the setup file ${problem.name}, which is not in the memex and is not read; tags in it do not count`
  }
  const ways = {
    encrypted: 'is encrypted and is not read',
    'not permitted': 'may not be opened and is not read',
    'name not text':
      'has a name that is not UTF-8 and is not read; rename it, with convmv or in your file manager',
    'not text': 'is not UTF-8 text and is not read',
  }
  return `${problem.path} ${ways[problem.why]}`
}

/** Counts the duplicate ids, and says in the log when there are more of them. */
export class ProblemTeller {
  readonly #runtime: Runtime
  readonly #counts = new Map<string, number>()
  #told = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Looks at what may have changed. */
  look(changed: Changed): void {
    const { files } = this.#runtime.store.snapshot()
    if (changed === 'anything') this.#counts.clear()
    const paths = changed === 'anything' ? [...files].map(([path]) => path) : changed
    for (const path of paths) {
      const notes = [...(files.get(path)?.objects.values() ?? [])]
      const count = notes.filter(({ id, written }) => written && written !== id).length
      if (count === 0) this.#counts.delete(path)
      else this.#counts.set(path, count)
    }
    const all = [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
    if (all > this.#told) {
      const what = all === 1 ? 'One note has an id' : `${all} notes have an id`
      this.#runtime.log('warn', `${what} that another note has as well; doctor names the places.`)
    }
    this.#told = all
  }
}
