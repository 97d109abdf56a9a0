import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { textHash } from './history.ts'
import { writeNewFile } from './new-file.ts'
import { PersistentMap } from './persistent-map.ts'
import { readScope, type Scope } from './scope.ts'
import type { FileEntry, MemoryObject, ObjectStore } from './store.ts'

/** Which files have notes that belong to something. */
class ScopedFiles {
  readonly #store: ObjectStore
  readonly #files = new Map<string, ReadonlySet<Scope>>()
  #seen: PersistentMap<FileEntry> = new PersistentMap()

  constructor(store: ObjectStore) {
    this.#store = store
  }

  now(): ReadonlyMap<string, ReadonlySet<Scope>> {
    const { files } = this.#store.snapshot()
    if (files === this.#seen) return this.#files
    for (const path of this.#seen.changes(files)) {
      const scopes = new Set([...(files.get(path)?.objects.values() ?? [])].map(scopeOf))
      if (scopes.size === 0 || (scopes.size === 1 && scopes.has('memex'))) this.#files.delete(path)
      else this.#files.set(path, scopes)
    }
    this.#seen = files
    return this.#files
  }
}

function scopeOf({ scope }: Pick<MemoryObject, 'scope'>): Scope {
  return scope
}

const depthMax = 16
const storedSchema = z.array(z.string()).max(depthMax)

/** What each session sees; the stacks are kept in a folder. */
export class Scopes {
  readonly #folder: string
  readonly #store: ObjectStore
  readonly #files: ScopedFiles
  readonly #stacks = new Map<string, readonly Scope[]>()

  constructor(folder: string, store: ObjectStore) {
    this.#folder = folder
    this.#store = store
    this.#files = new ScopedFiles(store)
  }

  #path(session: string): string {
    return join(this.#folder, `${textHash(session).slice(0, 32)}.json`)
  }

  /** The stack of a session, the memex first and the current scope last. */
  of(session: string): readonly Scope[] {
    const known = this.#stacks.get(session)
    if (known !== undefined) return known
    const stack: readonly Scope[] = ['memex', ...storedStack(this.#path(session))]
    this.#stacks.set(session, stack)
    return stack
  }

  /** Goes into a scope. Throws a RangeError when the stack is too deep. */
  push(session: string, scope: Scope): readonly Scope[] {
    const stack = [...this.of(session), scope]
    if (stack.length > depthMax) throw new RangeError('There are too many contexts; pop some first')
    return this.#keep(session, stack)
  }

  /** Leaves the current scope; at the bottom nothing changes. */
  pop(session: string): readonly Scope[] {
    const stack = this.of(session)
    return stack.length === 1 ? stack : this.#keep(session, stack.slice(0, -1))
  }

  #keep(session: string, stack: readonly Scope[]): readonly Scope[] {
    keepStack(this.#folder, this.#path(session), stack)
    this.#stacks.set(session, stack)
    return stack
  }

  /** Whether a session sees a note; null when all sessions see all notes. */
  sight(session: string): ((note: { id: string }) => boolean) | null {
    if (this.#files.now().size === 0) return null
    const stack = this.of(session)
    return ({ id }) => stack.includes(this.#store.get(id)?.scope ?? 'memex')
  }

  /** All scopes that notes are in, sorted. */
  known(): Scope[] {
    const named = [...this.#files.now().values()].flatMap((scopes) => [...scopes])
    return [...new Set<Scope>(['memex', ...named])].sort()
  }
}

function keepStack(folder: string, path: string, stack: readonly Scope[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  rmSync(`${path}.new`, { force: true })
  writeNewFile(`${path}.new`, JSON.stringify(stack.slice(1)))
  renameSync(`${path}.new`, path)
}

function storedStack(path: string): Scope[] {
  try {
    const stored = storedSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    return stored.flatMap((text) => readScope(text) ?? [])
  } catch {
    return []
  }
}
