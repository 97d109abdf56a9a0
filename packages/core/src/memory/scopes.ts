import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../base/new-file.ts'
import { PersistentMap } from '../base/persistent-map.ts'
import { textHash } from './history.ts'
import type { MemoryObject } from './memory-object.ts'
import { readScope, type Scope } from './scope.ts'
import type { FileEntry, ObjectStore } from './store.ts'

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

/** The stacks of sessions, kept in a folder. */
class Stacks {
  readonly #folder: string
  readonly #stacks = new Map<string, readonly Scope[]>()
  readonly #following = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The stack of a session, the memex first and the current scope last. */
  of(session: string): readonly Scope[] {
    const known = this.#stacks.get(session)
    if (known !== undefined) return known
    const stack: readonly Scope[] = ['memex', ...(storedStack(this.#folder, session) ?? [])]
    this.#stacks.set(session, stack)
    return stack
  }

  /** A session of the owner's begins; one that is known goes on where it was. */
  begin(session: string): void {
    if (this.#stacks.has(session) || storedStack(this.#folder, session) !== null) return
    const stack = storedStack(this.#folder, null)
    if (stack !== null) this.#stacks.set(session, ['memex', ...stack])
  }

  /** Sessions that begin from now on begin where this one is. */
  keep(session: string): void {
    keepStack(this.#folder, null, this.of(session))
  }

  /** Goes into a scope. Throws a RangeError when the stack is too deep. */
  push(session: string, scope: Scope): readonly Scope[] {
    const stack = [...this.of(session), scope]
    if (stack.length > depthMax) throw new RangeError('There are too many contexts; pop some first')
    return this.#moved(session, stack)
  }

  /** Leaves the current scope; at the bottom nothing changes. */
  pop(session: string): readonly Scope[] {
    const stack = this.of(session)
    return stack.length === 1 ? stack : this.#moved(session, stack.slice(0, -1))
  }

  #moved(session: string, stack: readonly Scope[]): readonly Scope[] {
    this.#following.delete(session)
    keepStack(this.#folder, session, stack)
    this.#stacks.set(session, stack)
    return stack
  }

  isFollowing(session: string): boolean {
    return this.#following.has(session)
  }

  /** From now on a session is where its owner looks, or stays where it is. */
  follow(session: string, isFollowing: boolean): void {
    if (isFollowing) this.#following.add(session)
    else this.#following.delete(session)
  }

  /** The owner looks at a note of this scope. */
  looksAt(session: string, scope: Scope): void {
    if (!this.#following.has(session)) return
    this.#stacks.set(session, scope === 'memex' ? ['memex'] : ['memex', scope])
  }
}

/** What each session sees; the stacks are kept in a folder. */
export class Scopes extends Stacks {
  readonly #store: ObjectStore
  readonly #files: ScopedFiles

  constructor(folder: string, store: ObjectStore) {
    super(folder)
    this.#store = store
    this.#files = new ScopedFiles(store)
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

  /** The files that have notes of this scope, sorted. */
  files(scope: Scope): string[] {
    return [...this.#files.now()]
      .flatMap(([path, scopes]) => (scopes.has(scope) ? path : []))
      .sort()
  }
}

/** Where a stack is kept; null is where sessions begin. */
function pathOf(folder: string, session: string | null): string {
  return join(folder, session === null ? 'begin.json' : `${textHash(session).slice(0, 32)}.json`)
}

function keepStack(folder: string, session: string | null, stack: readonly Scope[]): void {
  const path = pathOf(folder, session)
  replaceFile(path, JSON.stringify(stack.slice(1)))
}

function storedStack(folder: string, session: string | null): Scope[] | null {
  const path = pathOf(folder, session)
  if (!existsSync(path)) return null
  try {
    const stored = storedSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    return stored.flatMap((text) => readScope(text) ?? [])
  } catch {
    return []
  }
}
