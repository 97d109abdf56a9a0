import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { textHash } from './history.ts'
import { writeNewFile } from './new-file.ts'
import { PersistentMap } from './persistent-map.ts'
import type { FileEntry, ObjectStore } from './store.ts'

/** `memex`, `project:NAME` or `session:ID`. */
export type Scope = 'memex' | `project:${string}` | `session:${string}`

/** Reads a scope as it is written in a property or by a person; null when it is none. */
export function readScope(text: string): Scope | null {
  const written = text.trim()
  if (written.toLowerCase() === 'memex') return 'memex'
  const match = /^(?:(project|session):)?\s*([\p{L}\p{N}][\p{L}\p{N} _.-]{0,63})$/iu.exec(written)
  if (match === null) return null
  const kind = (match[1] ?? 'project').toLowerCase() as 'project' | 'session'
  return `${kind}:${match[2]!.trim().toLowerCase()}`
}

/** Which notes say where they belong. */
class ScopedFiles {
  readonly #store: ObjectStore
  readonly #files = new Map<string, ReadonlyMap<string, Scope>>()
  #seen: PersistentMap<FileEntry> = new PersistentMap()

  constructor(store: ObjectStore) {
    this.#store = store
  }

  now(): ReadonlyMap<string, ReadonlyMap<string, Scope>> {
    const { files } = this.#store.snapshot()
    if (files === this.#seen) return this.#files
    for (const path of this.#seen.changes(files)) {
      const scopes = scopesIn(files.get(path))
      if (scopes.size === 0) this.#files.delete(path)
      else this.#files.set(path, scopes)
    }
    this.#seen = files
    return this.#files
  }

  of({ id, file }: { id: string; file: string }): Scope {
    const own = this.now().get(file)
    if (own === undefined) return 'memex'
    let at: string | null = id
    while (at !== null && !own.has(at)) at = this.#store.get(at)?.parent ?? null
    return at === null ? 'memex' : own.get(at)!
  }
}

function scopesIn(entry: FileEntry | undefined): Map<string, Scope> {
  const found = new Map<string, Scope>()
  for (const { id, type, attributes, content } of entry?.objects.values() ?? []) {
    const keyword = type === 'file' ? /^#\+property:[ \t]+scope[ \t]+(.+)$/im.exec(content) : null
    const scope = readScope(attributes.SCOPE ?? keyword?.[1] ?? '')
    if (scope !== null) found.set(id, scope)
  }
  return found
}

const depthMax = 16
const storedSchema = z.array(z.string()).max(depthMax)

/** What each session sees; the stacks are kept in a folder. */
export class Scopes {
  readonly #folder: string
  readonly #files: ScopedFiles
  readonly #stacks = new Map<string, readonly Scope[]>()

  constructor(folder: string, store: ObjectStore) {
    this.#folder = folder
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

  /** The scope that a note is in. */
  scopeOf(note: { id: string; file: string }): Scope {
    return this.#files.of(note)
  }

  /** Whether a session sees a note; null when all sessions see all notes. */
  sight(session: string): ((note: { id: string; file: string }) => boolean) | null {
    if (this.#files.now().size === 0) return null
    const stack = this.of(session)
    return (note) => stack.includes(this.#files.of(note))
  }

  /** All scopes that notes are in, sorted. */
  known(): Scope[] {
    const named = [...this.#files.now().values()].flatMap((scopes) => [...scopes.values()])
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
