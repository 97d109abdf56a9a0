import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { NoteFacts } from './facts.ts'
import { textHash } from './history.ts'
import type { Indexes } from './indexes.ts'
import { writeNewFile } from './new-file.ts'

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

/** The scope that a note is in. */
export function scopeOf(indexes: Indexes, note: NoteFacts): Scope {
  for (let at: NoteFacts | null = note; at !== null; at = indexes.get(at.parent ?? '')) {
    const written = at.attributes.SCOPE
    const scope = written === undefined ? null : readScope(written)
    if (scope !== null) return scope
  }
  return 'memex'
}

/** Whether a session with this stack sees a note; for the `accept` of a query. */
export function visibleIn(indexes: Indexes, stack: readonly Scope[]): (note: NoteFacts) => boolean {
  if (indexes.having('property:SCOPE').size === 0) return () => true
  return (note) => stack.includes(scopeOf(indexes, note))
}

/** All scopes that notes are in, sorted. */
export function knownScopes(indexes: Indexes): Scope[] {
  const notes = [...indexes.having('property:SCOPE')]
  return [...new Set(['memex' as const, ...notes.map((note) => scopeOf(indexes, note))])].sort()
}

const depthMax = 16
const storedSchema = z.array(z.string()).max(depthMax)

/** The stacks of all sessions, in a folder. */
export class Scopes {
  readonly #folder: string
  readonly #stacks = new Map<string, readonly Scope[]>()

  constructor(folder: string) {
    this.#folder = folder
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
    const path = this.#path(session)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    rmSync(`${path}.new`, { force: true })
    writeNewFile(`${path}.new`, JSON.stringify(stack.slice(1)))
    renameSync(`${path}.new`, path)
    this.#stacks.set(session, stack)
    return stack
  }
}

function storedStack(path: string): Scope[] {
  try {
    const stored = storedSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    return stored.flatMap((text) => readScope(text) ?? [])
  } catch {
    return []
  }
}
